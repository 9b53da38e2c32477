/**
 * `npm run -s echo`: the contract with handlers that answer the values they received as JSON text, for comparing wires.
 * `PORT` (8080) and `SOAP_NAMESPACE` (urn:ws01) as for the service; on 127.0.0.1. A boolean operation answers `true`.
 */
import { createServer } from 'node:http';
import { createEndpoint } from '@ws01/asmx';
import { nodeListener } from '@ws01/asmx/node';
import { ERRORS } from '../src/contract/errors.ts';
import { WS01 } from '../src/contract/service.ts';
import { echoHandlers } from '../test/kit/echo-handlers.ts';

const PATH = '/WS01.asmx';
const port = Number(process.env.PORT ?? 8080);
const url = `http://localhost:${port}`;

const endpoint = createEndpoint(WS01, {
  handlers: echoHandlers(),
  namespace: process.env.SOAP_NAMESPACE ?? 'urn:ws01',
  path: PATH,
  baseUrl: () => url,
  errors: ERRORS,
  authorize: () => undefined,
});
const serve = nodeListener(endpoint);
const server = createServer((request, response) => {
  if (!serve(request, response)) response.writeHead(404, { 'Content-Length': 0 }).end();
});
server.listen(port, '127.0.0.1', () => console.log(`${url}${PATH} echoes what it is sent`));
