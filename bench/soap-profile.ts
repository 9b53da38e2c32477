import { DEFAULT_LIMITS } from '../packages/asmx/src/engine/limits.ts';
import { createXmlReader } from '../packages/asmx/src/xml/reader.ts';
import { UsageError } from './kit/bench.ts';
import { printTable } from './kit/report.ts';
import { TOKEN } from './kit/sides/service.ts';
import { recordedCalls } from './kit/workloads/recorded.ts';
import { COUNTED_USER } from './kit/workloads/seed.ts';

export const summary = 'the validation of docs/soap-profile.md, for a server that runs: URL [TOKEN]';

const NAMESPACE = 'urn:ws01';
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const OPERATION = 'countUserPosted';
const DAYS = ['1', '7', '365'];

interface Check {
  readonly name: string;
  readonly body: string;
  /** The result, or that it is a fault. */
  readonly expected: string | 'a fault';
  readonly operation?: string;
}

/** `npm run bench -- soap-profile URL [TOKEN]` */
export async function run([url, token = TOKEN]: readonly string[]): Promise<unknown> {
  if (url === undefined) throw new UsageError('soap-profile needs the URL of the endpoint.');
  const plain = new Map<string, string>();
  for (const days of DAYS) plain.set(days, (await ask(url, envelope(token, days))).found);
  const isEcho = DAYS.every((days) => plain.get(days) === days);
  const rows: string[][] = [];
  let failed = 0;
  for (const { name, body, expected, operation } of checks(token, plain, isEcho)) {
    const { found, status } = await ask(url, body, operation);
    const passed = found === expected && (expected === 'a fault' ? status === 500 || status === 400 : status === 200);
    if (!passed) failed++;
    rows.push([name, expected, found, String(status), passed ? 'yes' : 'NO']);
  }
  printTable(['', 'expected', 'found', 'status', 'passed'], rows);
  const category = isEcho ? 'echo' : `whole: ${DAYS.map((days) => `${plain.get(days)} of ${days} days`).join(', ')}`;
  console.log(`Category: ${category}.`);
  if (failed > 0) process.exitCode = 1;
  return { category, checks: rows.length, failed };
}

function checks(token: string, plain: ReadonlyMap<string, string>, isEcho: boolean): readonly Check[] {
  const seven = plain.get('7')!;
  const message = envelope(token, '7');
  const reordered = (text: string) => text.replace(/(<tokenId>.*<\/userId>)(<lastFewDays>.*<\/lastFewDays>)/, '$2$1');
  const recorded = recordedCalls().filter(
    ({ operation, request }) => operation === OPERATION && /^text\/xml/.test(request.headers['Content-Type'] ?? ''),
  );
  return [
    ...DAYS.map((days) => ({ name: `${days} days`, body: envelope(token, days), expected: plain.get(days)! })),
    { name: 'other order', body: reordered(message), expected: seven },
    {
      name: 'other prefix',
      body: message.replaceAll('soap:', 'SOAP-ENV:').replace(':soap=', ':SOAP-ENV='),
      expected: seven,
    },
    { name: 'single quotes', body: message.replaceAll('"', "'"), expected: seven },
    { name: 'a comment', body: message.replace('<soap:Body>', '<soap:Body><!-- here -->'), expected: seven },
    { name: 'a reference', body: message.replace('>7<', () => '>&#55;<'), expected: seven },
    { name: 'CDATA', body: message.replace('>7<', '><![CDATA[7]]><'), expected: seven },
    ...recorded.map(({ client, request }) => ({
      name: `as ${client}`,
      body: request.body.replace('user-_item_', COUNTED_USER).replace(TOKEN, token),
      expected: seven,
    })),
    ...(isEcho ? [] : [{ name: 'another token', body: envelope('another', '7'), expected: 'a fault' }]),
    { name: 'not closed', body: message.replace('</soap:Envelope>', ''), expected: 'a fault' },
    { name: 'a DOCTYPE', body: message.replace('?>', '?><!DOCTYPE soap:Envelope>'), expected: 'a fault' },
    {
      name: 'no such operation',
      body: message.replaceAll(OPERATION, 'noSuch'),
      operation: 'noSuch',
      expected: 'a fault',
    },
    { name: 'goes on to serve', body: message, expected: seven },
  ];
}

function envelope(token: string, days: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${SOAP}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body><countUserPosted xmlns="${NAMESPACE}"><tokenId>${token}</tokenId><userId>${COUNTED_USER}</userId><lastFewDays>${days}</lastFewDays><level>all</level></countUserPosted></soap:Body></soap:Envelope>`;
}

/** Sends a message. @returns what an XML parser finds in the answer: the result, `a fault`, or what is wrong. */
async function ask(url: string, body: string, operation = OPERATION): Promise<{ found: string; status: number }> {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${NAMESPACE}/${operation}"` };
  const response = await fetch(url, { method: 'POST', headers, body });
  return { found: resultOf(await response.bytes()), status: response.status };
}

function resultOf(answer: Uint8Array): string {
  let result: string | undefined;
  let inResult = false;
  let isFault = false;
  const reader = createXmlReader(
    {
      open({ uri, local }) {
        inResult = uri === NAMESPACE && local === `${OPERATION}Result`;
        if (inResult) result = '';
        isFault ||= uri === SOAP && local === 'Fault';
        return 'text';
      },
      text(piece) {
        if (inResult) result += piece;
      },
      close() {
        inResult = false;
      },
    },
    { limits: DEFAULT_LIMITS },
  );
  try {
    reader.push(answer);
    reader.end();
  } catch (error) {
    return `no XML: ${(error as Error).message}`;
  }
  return isFault ? 'a fault' : (result ?? 'neither result nor fault');
}
