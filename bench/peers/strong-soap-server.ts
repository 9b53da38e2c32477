/**
 * countUserPosted on the server of `strong-soap`: parses the call, echoes one parameter; no
 * credential, no database.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import strongSoap from 'strong-soap';
import { PATH, WSDL } from './peer.ts';

const countUserPosted = ({ lastFewDays }: { lastFewDays: string }) => ({
  countUserPostedResult: lastFewDays,
});

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  strongSoap.soap.listen(
    server,
    PATH,
    { WS01: { WS01Soap: { countUserPosted } } },
    readFileSync(WSDL, 'utf8'),
  );
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
