/** A process that serves the contract by this engine; prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEndpoint, nodeListener } from '../../../packages/asmx/src/index.ts';
import { Objects, PATH } from './contract.ts';

const serve = nodeListener(
  createEndpoint(Objects, { path: PATH, handlers: { Echo: ({ items }) => items } }),
);
const server = createServer((req, res) => serve(req, res) || res.writeHead(404).end());
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
