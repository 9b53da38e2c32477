import { readFile, stat } from 'node:fs/promises';
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
 * @throws {WsdlError} `unreadable`, in one line with what the system or the server said.
 */
export async function fetchDocument(url: URL): Promise<Uint8Array> {
  const name = nameOf(url);
  const unreadable = (reason: string) => new WsdlError('unreadable', name, '', reason);
  const tooLarge = () => unreadable(`The document has more than ${DOCUMENT_LIMITS.bodyBytes} bytes.`);
  if (url.protocol === 'file:') {
    const { size } = await stat(url).catch((error: NodeJS.ErrnoException) => {
      throw unreadable(error.code === 'ENOENT' ? 'There is no such file.' : `It cannot be read (${error.code}).`);
    });
    if (size > DOCUMENT_LIMITS.bodyBytes) throw tooLarge();
    const bytes = await readFile(url).catch((error: NodeJS.ErrnoException) => {
      throw unreadable(error.code === 'EISDIR' ? 'It is a folder; name a file.' : `It cannot be read (${error.code}).`);
    });
    return withoutHttpHead(bytes);
  }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS), headers: { accept: 'text/xml, */*' } });
    if (!response.ok) throw unreadable(`The server answered ${response.status} ${response.statusText}.`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > DOCUMENT_LIMITS.bodyBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof WsdlError) throw error;
    const { name: kind, message, cause } = error as Error;
    if (kind === 'TimeoutError') throw unreadable(`Nothing came for ${FETCH_MS / 1000} s.`);
    throw unreadable(`It cannot be fetched: ${cause instanceof Error ? cause.message : message}.`);
  }
}

/** A document that was saved with the head of its answer, as `curl -i` does. */
function withoutHttpHead(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 0, 5) !== 'HTTP/') return bytes;
  const end = bytes.indexOf('\r\n\r\n');
  return end < 0 ? bytes : bytes.subarray(end + 4);
}
