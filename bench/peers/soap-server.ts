/** countUserPosted on the server of npm `soap`: parses the call, echoes one parameter; no credential, no database. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as soap from 'soap';
import { PATH, WSDL } from './peer.ts';

const countUserPosted = ({ lastFewDays }: { lastFewDays: string }) => ({
  countUserPostedResult: lastFewDays,
});

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  soap.listen(server, {
    path: PATH,
    services: { WS01: { WS01Soap: { countUserPosted } } },
    xml: readFileSync(WSDL, 'utf8'),
    // One write with a Content-Length, which is faster here.
    enableChunkedEncoding: false,
  });
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
