/** What Node can reach with pictures: `node:http` that has them in memory and looks at nothing but the path and two headers. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const [folder = '.', prefix = '/', location = ''] = process.argv.slice(2);

const files = new Map(readdirSync(folder).map((name) => [prefix + name, readFileSync(join(folder, name))]));

const server = createServer(({ url = '', headers }, res) => {
  const file = files.get(url);
  if (file === undefined) {
    res.writeHead(302, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
    return;
  }
  const common = { 'Cache-Control': 'public, max-age=31536000, immutable', ETag: '"1"', 'Accept-Ranges': 'bytes' };
  if (headers['if-none-match'] !== undefined) {
    res.writeHead(304, common).end();
    return;
  }
  const end = Number(/^bytes=0-(\d+)$/.exec(headers.range ?? '')?.[1] ?? file.length - 1);
  const part = file.subarray(0, end + 1);
  res.writeHead(headers.range === undefined ? 200 : 206, {
    ...common,
    'Content-Type': 'image/jpeg',
    'Content-Length': part.length,
  });
  res.end(part);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
