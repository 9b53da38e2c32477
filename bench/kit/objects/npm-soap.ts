/** A process that serves the same WSDL by npm soap; prints its port. The WSDL comes on standard input. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen } from 'soap';
import { PATH } from './contract.ts';

const wsdl = await text(process.stdin);
const server = createServer((_, res) => res.writeHead(404).end());
server.listen(0, '127.0.0.1', () => {
  const port = { Echo: ({ items }: { readonly items: unknown }) => ({ EchoResult: items }) };
  listen(server, PATH, { Objects: { ObjectsSoap: port } }, wsdl, () =>
    console.log((server.address() as AddressInfo).port),
  );
});
