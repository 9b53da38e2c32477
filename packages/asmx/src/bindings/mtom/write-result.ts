import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Reply } from '../../exchange/result.ts';
import { SOAP11 } from '../../exchange/soap-version.ts';
import type { WireResponse } from '../../message/http.ts';
import { writeResult as writeSoap } from '../soap/write-result.ts';

const ROOT = 'envelope@asmx';

/**
 * Answers a message with attachments; bytes are in parts of their own (MTOM, XOP 1.0). An answer without bytes is plain
 * SOAP, which every MTOM client reads.
 */
export function writeResult(
  exchange: Exchange,
  call: Call,
  result: unknown,
  reply?: Reply,
): WireResponse {
  const files: Uint8Array[] = [];
  const attach = (bytes: Uint8Array) => `cid:${nameOf(files.push(bytes) - 1)}`;
  const answer = writeSoap(exchange, call, result, reply, attach);
  if (files.length === 0) return answer;
  const { mediaType } = call.version ?? SOAP11;
  const boundary = `uuid:${crypto.randomUUID()}`;
  const head = (id: string, type: string) =>
    `--${boundary}\r\nContent-ID: <${id}>\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
  const parts: (string | Uint8Array)[] = [
    head(ROOT, `application/xop+xml; charset=utf-8; type="${mediaType}"`),
    answer.body,
    ...files.flatMap((bytes, at) => [`\r\n${head(nameOf(at), 'application/octet-stream')}`, bytes]),
    `\r\n--${boundary}--\r\n`,
  ];
  const contentType = `multipart/related; type="application/xop+xml"; start="<${ROOT}>"; start-info="${mediaType}"; boundary="${boundary}"`;
  return {
    ...answer,
    headers: { ...answer.headers, 'Content-Type': contentType },
    body: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  };
}

function nameOf(file: number): string {
  return `file${file}@asmx`;
}
