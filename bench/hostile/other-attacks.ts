import { gzipSync } from 'node:zlib';
import type { ReaderAttack } from '../../apps/ws01/test/security/kit/reader-attacks.ts';
import {
  ARTICLE,
  FORM,
  fill,
  GZIP,
  get,
  JSON_TYPE,
  OF_CONSOLE,
  OF_MCP,
  post,
  SERVICE,
  SOAP,
} from '../../apps/ws01/test/security/kit/requests.ts';

const line = (text: string): Buffer => Buffer.from(`${text}\r\n\r\n`);
const headers = (count: number, make: (index: number) => string) =>
  line(
    `GET /healthz HTTP/1.1\r\nHost: x\r\n${Array.from({ length: count }, (_, index) => make(index)).join('\r\n')}`,
  );
const chunked = (body: string, size: string) =>
  `POST ${ARTICLE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n${body}${size}`;

/** Anonymous requests that are not read by the readers of calls. */
export const OTHER_ATTACKS: readonly ReaderAttack[] = [
  { name: 'head: many headers', make: () => headers(1_500, (index) => `X-${index}: a`) },
  { name: 'head: integer-like names', make: () => headers(1_500, (index) => `${index}: a`) },
  {
    name: 'head: one long Accept-Encoding',
    make: () => headers(1, () => `Accept-Encoding: ${fill('a;q=0,', 14_000)}`),
  },
  {
    name: 'head: one long Range',
    make: () => headers(1, () => `Range: bytes=${fill('0-1,', 14_000)}`),
  },
  {
    name: 'head: one long Cookie',
    make: () => headers(1, () => `Cookie: ${fill('a=b;', 14_000)}`),
  },
  {
    name: 'head: one long X-Forwarded-For',
    make: () => headers(1, () => `X-Forwarded-For: ${fill('1.1.1.1,', 14_000)}`),
  },
  {
    name: 'chunks of one byte',
    make: (n) => Buffer.from(chunked(fill('1\r\nx\r\n', n), '0\r\n\r\n')),
  },
  {
    name: 'chunks of 64 bytes',
    make: (n) =>
      Buffer.from(
        chunked(`8\r\ncontent=\r\n${fill(`40\r\n${'x'.repeat(64)}\r\n`, n)}`, '0\r\n\r\n'),
      ),
  },
  {
    name: 'chunks with extensions',
    make: (n) => Buffer.from(chunked(fill(`1;${'a'.repeat(1000)}\r\nx\r\n`, n), '0\r\n\r\n')),
  },
  { name: 'target of slashes', make: () => get(`/${'/'.repeat(14_000)}`) },
  { name: 'target of dots', make: () => get(fill('/..', 14_000)) },
  { name: 'target of escapes', make: () => get(`/${fill('%2f', 14_000)}`) },
  { name: 'WSDL with a long query', make: () => get(`${SERVICE}?WSDL&${fill('a=b&', 14_000)}`) },
  { name: 'help page of a long operation', make: () => get(`${SERVICE}?op=${'a'.repeat(14_000)}`) },
  { name: 'help page of an operation', make: () => get(`${SERVICE}?op=InsertArticle`) },
  { name: 'WSDL', make: () => get(`${SERVICE}?WSDL`) },
  { name: 'picture with a long name', make: () => get(`/media/${'a'.repeat(14_000)}`) },
  {
    name: 'console sign-in',
    make: () =>
      post('/console/sign-in', { ...OF_CONSOLE, ...FORM }, `name=${fill('a', 500_000)}&password=b`),
  },
  { name: 'API, anonymous', make: () => get('/api/v1/adverts?q=a') },
  { name: 'API, long query', make: () => get(`/api/v1/public/adverts?q=${fill('%20', 14_000)}`) },
  {
    name: 'page that is not there, with a body',
    make: (n) => post('/nothing', JSON_TYPE, fill('x', n)),
  },
  {
    name: 'a body for GET',
    make: (n) =>
      Buffer.from(
        post(ARTICLE, FORM, fill('a=b&', n)).toString('latin1').replace('POST', 'GET'),
        'latin1',
      ),
  },
  { name: 'deep JSON', make: (n) => post(ARTICLE, JSON_TYPE, fill('[', n)) },
  {
    name: 'gzip within gzip',
    make: (n) => post(ARTICLE, { ...FORM, ...GZIP }, gzipSync(gzipSync(fill('a', n)))),
  },
  {
    name: 'gzip bomb of 100 MB',
    make: () => post(ARTICLE, { ...FORM, ...GZIP }, gzipSync(Buffer.alloc(100_000_000, 'a'))),
  },
  {
    name: 'deflate bomb of 100 MB, cut',
    make: () =>
      post(
        ARTICLE,
        { ...FORM, ...GZIP },
        gzipSync(Buffer.alloc(100_000_000, '&')).subarray(0, 90_000),
      ),
  },
  { name: 'OPTIONS', make: () => line(`OPTIONS ${ARTICLE} HTTP/1.1\r\nHost: x`) },
  { name: 'TRACE', make: () => line(`TRACE ${ARTICLE} HTTP/1.1\r\nHost: x`) },
];

/** Settings with which every door of a service is open. */
export const EVERY_DOOR = { MCP: 'on', UPSTREAM_URL: 'http://127.0.0.1:9/old.asmx' };

/** Anonymous requests to the doors beside the endpoint, each with as long a body as it takes. */
export const DOOR_ATTACKS: readonly ReaderAttack[] = [
  { name: 'MCP: deep JSON', make: (n) => post('/mcp', OF_MCP, fill('[', n)) },
  {
    name: 'MCP: messages',
    make: (n) =>
      post('/mcp', OF_MCP, `[${fill('{"jsonrpc":"2.0","id":1,"method":"ping"},', n)}{}]`),
  },
  {
    name: 'passed on: a form',
    make: (n) => post(`${SERVICE}/OnlyThere`, FORM, fill('a=b&', n)),
  },
  {
    name: 'passed on: a message of comments',
    make: (n) => post(SERVICE, SOAP, fill('<!---->', n)),
  },
  { name: 'API: a body', make: (n) => post('/api/v1/tokens', JSON_TYPE, fill('[', n)) },
  {
    name: 'public API: a body',
    make: (n) => post('/api/v1/public/adverts', JSON_TYPE, fill('[', n)),
  },
  { name: 'short link: a body', make: (n) => post('/s/unknown', FORM, fill('a=b&', n)) },
];
