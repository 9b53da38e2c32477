import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Reply } from '../../exchange/result.ts';
import { SOAP11 } from '../../exchange/soap-version.ts';
import type { WireResponse } from '../../message/http.ts';
import { writeResult as writeSoap } from '../soap/write-result.ts';
import { multipartMessage } from './write-parts.ts';

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
  const { contentType, body } = multipartMessage(
    answer.body,
    files.map((bytes, at) => ({ id: nameOf(at), bytes })),
    { mediaType, isXop: true },
  );
  return { ...answer, headers: { ...answer.headers, 'Content-Type': contentType }, body };
}

function nameOf(file: number): string {
  return `file${file}@asmx`;
}
