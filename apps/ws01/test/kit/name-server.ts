import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

const TXT = 16;

/** A name server of the test's own that knows TXT records. @returns `address:port`. */
export async function startNameServer(
  t: TestContext,
  records: Readonly<Record<string, string>>,
): Promise<string> {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  socket.on('message', (query, from) =>
    socket.send(answerOf(query, records), from.port, from.address),
  );
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

/** RFC 1035: the query's header and question again, with an answer or NXDOMAIN. */
function answerOf(query: Buffer, records: Readonly<Record<string, string>>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += 1 + query[at]!)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
  const question = query.subarray(12, at + 5);
  const text = records[labels.join('.').toLowerCase()];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(text === undefined ? 0 : 1, 6);
  header.writeUInt32BE(0, 8);
  if (text === undefined) return Buffer.concat([header, question]);
  const pieces = text.match(/[\s\S]{1,255}/g) ?? [''];
  const data = Buffer.concat(
    pieces.map((piece) => Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece)])),
  );
  const answer = Buffer.alloc(12);
  answer.writeUInt16BE(0xc00c, 0);
  answer.writeUInt16BE(TXT, 2);
  answer.writeUInt16BE(1, 4);
  answer.writeUInt32BE(60, 6);
  answer.writeUInt16BE(data.length, 10);
  return Buffer.concat([header, question, answer, data]);
}
