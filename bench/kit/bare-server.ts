/** The measure of all things: `node:http` that reads nothing of the body and always answers the same bytes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const { contentType, body } = JSON.parse(process.argv[2]!) as { contentType: string; body: string };
const headers = {
  'Content-Type': contentType,
  'Cache-Control': 'private, max-age=0',
  'Content-Length': Buffer.byteLength(body),
};

const server = createServer((req, res) => {
  req.resume();
  req.on('end', () => {
    res.writeHead(200, headers);
    res.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
