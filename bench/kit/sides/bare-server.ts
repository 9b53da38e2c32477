/** The measure of all things: `node:http` that reads nothing of the body and always answers the bytes it was told. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What it is told to answer from then on. */
export interface BareAnswer {
  readonly contentType: string;
  readonly body: string;
}

let body = Buffer.alloc(0);
let headers: Readonly<Record<string, string | number>> = {};

process.on('message', (answer: BareAnswer) => {
  body = Buffer.from(answer.body);
  headers = {
    'Content-Type': answer.contentType,
    'Cache-Control': 'private, max-age=0',
    'Content-Length': body.length,
  };
  process.send!('ready');
});

const server = createServer((req, res) => {
  req.resume();
  req.on('end', () => {
    res.writeHead(200, headers);
    res.end(body);
  });
});
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
