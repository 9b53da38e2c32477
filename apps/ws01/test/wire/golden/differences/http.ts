import { errorOf, statusOf, typeOf } from '../answer.ts';
import type { Difference } from '../differences.ts';

const CODINGS = /^(?:gzip|x-gzip|deflate|br|zstd|compress)$/i;

export const HTTP_DIFFERENCES: readonly Difference[] = [
  {
    id: 'closed-unanswered',
    situation:
      'Absolute-form target (`POST http://host/WS01.asmx`), `OPTIONS *`, `%00` in the path',
    asmx: 'the recording host closed the connection; IIS answers',
    ours: 'answered: the first like the path alone, the others 404',
    why: 'RFC 9112 3.2.2 asks servers to take the absolute form.',
    covers: ({ recorded, ours }) =>
      recorded.line === 'closed' && [200, 404].includes(statusOf(ours)),
  },
  {
    id: 'http-syntax',
    situation: 'Lines that end in LF alone, folded headers, `Transfer-Encoding: identity`',
    asmx: 'taken by the recording host; IIS refuses them',
    ours: '400 with what is wrong, the connection is closed; 501 for a transfer coding other than chunked',
    why: 'A proxy in front may read them otherwise: they are how requests are smuggled (RFC 9112 11.2).',
    covers: ({ ours }) =>
      /^(?:The message is not HTTP\/1\.1|Of transfer codings only chunked)/.test(ours.body),
  },
  {
    id: 'pipelined',
    situation: 'A second request on the connection before the first is answered',
    asmx: 'the recording host answered one and closed the connection',
    ours: 'each is answered, in order',
    why: 'RFC 9112 9.3.2.',
    covers: ({ recorded, ours }) => recorded.next === undefined && ours.next !== undefined,
  },
  {
    id: 'empty-lines-first',
    situation: 'Empty lines before the request line',
    asmx: 'the recording host read no verb: 405; IIS passes over them',
    ours: 'passed over',
    why: 'RFC 9112 2.2.',
    covers: ({ request, ours }) => request.method === '' && statusOf(ours) === 200,
  },
  {
    id: 'empty-host',
    situation: 'An empty `Host` header',
    asmx: '500, `Invalid URI: The hostname could not be parsed.`',
    ours: 'served',
    why: 'Nothing in the call depends on it.',
    covers: ({ recorded, ours }) => recorded.body.includes('Invalid URI') && statusOf(ours) === 200,
  },
  {
    id: 'verbs',
    situation: 'A verb that is not served: `PUT`, `DELETE`, `get`, `HEAD` on an operation',
    asmx: '405 with an HTML page; 500 with one on an operation’s path',
    ours: '405 with `Allow` and an `<error>` document; for a verb that HTTP does not know, such as `get`, a line of text',
    why: 'The status says what is wrong at either path, and `Allow` what is right.',
    covers: ({ ours }) => statusOf(ours) === 405 && ours.headers.Allow !== undefined,
  },
  {
    id: 'head-and-options',
    situation: '`HEAD` where `GET` describes; `OPTIONS`',
    asmx: '405 or 500 with an HTML page',
    ours: '200 without a body; 204 with `Allow`',
    why: 'Monitors send HEAD; RFC 9110 9.3.2 and 9.3.7.',
    covers: ({ request, ours }) =>
      (request.method === 'HEAD' && statusOf(ours) === 200) ||
      (request.method === 'OPTIONS' && statusOf(ours) === 204),
  },
  {
    id: 'path-case',
    situation: '`/ws01.asmx`: the service’s path in another letter case',
    asmx: 'served on Windows; the recording server ran on Linux: 404',
    ours: 'served',
    why: 'As on Windows.',
    covers: ({ request, recorded, ours }) =>
      statusOf(recorded) === 404 &&
      statusOf(ours) === 200 &&
      !request.target.includes('/WS01.asmx'),
  },
  {
    id: 'elsewhere',
    situation: 'A path that is not the service’s',
    asmx: '404 with an HTML page; for `/WS01.asmx;x` and the like 500',
    ours: '404, by whatever serves the rest of the site',
    why: 'It is not the endpoint’s to answer.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 404 &&
      ours.body === '' &&
      typeOf(recorded) === 'text/html' &&
      statusOf(recorded) >= 400,
  },
  {
    id: 'unknown-operation',
    situation: 'An unknown operation in the path, one in another letter case, `/WS01.asmx/`',
    asmx: '500 with a line of text, or an HTML page',
    ours: '404 with an `<error>` document that names the right spelling (JSON: problem details)',
    why: 'Nothing on the server failed.',
    covers: ({ recorded, ours }) =>
      statusOf(recorded) === 500 &&
      statusOf(ours) === 404 &&
      errorOf(ours)?.code === 'UnknownOperation',
  },
  {
    id: 'content-coding',
    situation: 'A `Content-Encoding` that is a coding: `gzip`, `deflate`, `br`',
    asmx: 'ignored: the body is read as it is, and the header sent back',
    ours: 'gzip and deflate are unpacked; others are 415',
    why: 'The header means what RFC 9110 8.4 says; whoever compresses gets smaller requests.',
    covers: ({ request }) => CODINGS.test(request.header('content-encoding')),
  },
  {
    id: 'content-encoding-echoed',
    situation: 'Any `Content-Encoding` in the request',
    asmx: 'sent back in the answer, whose body is plain',
    ours: 'not sent back',
    why: 'It would say of the answer what is not so; clients that believe it cannot read the body.',
    covers: ({ recorded, ours }) => {
      const { 'Content-Encoding': echoed, ...headers } = recorded.headers;
      const same = recorded.line === ours.line && recorded.body === ours.body;
      return (
        echoed !== undefined && same && JSON.stringify(headers) === JSON.stringify(ours.headers)
      );
    },
  },
  {
    id: 'compressed',
    situation: '`Accept-Encoding: gzip` and an answer above 1,400 bytes',
    asmx: 'plain; IIS compresses where it is configured to',
    ours: 'gzip',
    why: 'The client asked for it.',
    covers: ({ recorded, ours }) =>
      ours.headers['Content-Encoding'] === 'gzip' && recorded.body === ours.body,
  },
];
