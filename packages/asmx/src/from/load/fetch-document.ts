import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { WsdlError } from '../wsdl-error.ts';
import { DOCUMENT_LIMITS } from './xml-document.ts';

/** How long one document may take to arrive; ms. */
const FETCH_MS = 30_000;

/** What a person named as a source: an http or https URL as it is, anything else a path. */
export function sourceUrl(source: string): URL {
  return /^https?:\/\//i.test(source) ? new URL(source) : pathToFileURL(source);
}

/** How a document is called in messages: its path, or its URL without user and password. */
export function nameOf(url: URL): string {
  if (url.protocol === 'file:') return fileURLToPath(url);
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

/**
 * The bytes of a document. A person named it, or a document that a person named imports it: private networks are allowed.
 * @param named whether a person named it: then it may be a pipe, as `<(curl …)` is. A document that names one would have
 *   us wait for ever.
 * @param importer the document that names it. @throws {WsdlError} `unreadable`, in one line with what the system or the server said.
 */
export async function fetchDocument(url: URL, named: boolean, importer?: string): Promise<Uint8Array> {
  const name = nameOf(url);
  const unreadable = (reason: string) => new WsdlError('unreadable', name, '', reason);
  const tooLarge = () => unreadable(`The document has more than ${DOCUMENT_LIMITS.bodyBytes} bytes.`);
  try {
    if (url.protocol === 'file:') {
      const found = await stat(url);
      if (found.isDirectory()) throw unreadable('It is a folder; name a file.');
      if (!found.isFile() && !named) throw unreadable('It is no file.');
      return withoutHttpHead(await atMost(createReadStream(url), DOCUMENT_LIMITS.bodyBytes, tooLarge));
    }
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS), headers: { accept: 'text/xml, */*' } });
    if (!response.ok) throw unreadable(`The server answered ${response.status} ${response.statusText}.`);
    return await atMost(response.body ?? [], DOCUMENT_LIMITS.bodyBytes, tooLarge);
  } catch (error) {
    if (error instanceof WsdlError) throw error;
    const { name: kind, message, cause, code } = error as NodeJS.ErrnoException;
    if (url.protocol === 'file:') {
      const by = importer === undefined ? '' : ` ${importer} imports it.`;
      throw unreadable(code === 'ENOENT' ? `There is no such file.${by}` : `It cannot be read (${code}).${by}`);
    }
    if (kind === 'TimeoutError') throw unreadable(`Nothing came for ${FETCH_MS / 1000} s.`);
    throw unreadable(`It cannot be fetched: ${cause instanceof Error ? cause.message : message}.`);
  }
}

async function atMost(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
  tooLarge: () => WsdlError,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of pieces) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A document that was saved with the head of its answer, as `curl -i` does. */
function withoutHttpHead(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 0, 5) !== 'HTTP/') return bytes;
  const end = bytes.indexOf('\r\n\r\n');
  return end < 0 ? bytes : bytes.subarray(end + 4);
}
