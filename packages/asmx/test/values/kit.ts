import { createServer } from 'node:http';
import {
  createEndpoint,
  type Endpoint,
  type IncomingCall,
  nodeListener,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { originOf } from '../kit/listen.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const XSD = 'http://www.w3.org/2001/XMLSchema';

/** Serves an endpoint on a free port. @returns the URL of the server. */
export async function serve(
  test: { after(close: () => unknown): void },
  ...endpoints: readonly Endpoint[]
): Promise<string> {
  const listeners = endpoints.map((endpoint) => nodeListener(endpoint));
  const server = createServer((req, res) => {
    if (!listeners.some((listener) => listener(req, res))) res.writeHead(404).end();
  });
  return originOf(test, server);
}

export interface SoapParts {
  readonly version?: '1.1' | '1.2';
  readonly action?: string;
  readonly header?: string;
  readonly http?: Readonly<Record<string, string>>;
  /** What stands beside the envelope, as in SOAP Messages with Attachments. */
  readonly beside?: readonly PartOf[];
}

/** Posts a body in an envelope. @returns the status, and the answer's body without its envelope. */
export async function soap(url: string, body: string, parts: SoapParts = {}) {
  const is12 = parts.version === '1.2';
  const envelope = is12
    ? 'http://www.w3.org/2003/05/soap-envelope'
    : 'http://schemas.xmlsoap.org/soap/envelope/';
  const head = parts.header === undefined ? '' : `<soap:Header>${parts.header}</soap:Header>`;
  const prefixes = `xmlns:soap="${envelope}" xmlns:xsi="${XSI}" xmlns:xsd="${XSD}"`;
  const message = `<?xml version="1.0"?><soap:Envelope ${prefixes}>${head}<soap:Body>${body}</soap:Body></soap:Envelope>`;
  const { action } = parts;
  const named = is12 && action !== undefined ? `; action="${action}"` : '';
  const mediaType = is12 ? 'application/soap+xml' : 'text/xml';
  const { beside = [] } = parts;
  const isAlone = beside.length === 0;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': isAlone
        ? `${mediaType}; charset=utf-8${named}`
        : `multipart/related; type="${mediaType}"; start="<root>"; boundary=edge${named}`,
      ...(action === undefined ? {} : { SOAPAction: `"${action}"` }),
      ...parts.http,
    },
    body: isAlone
      ? message
      : inParts([['root', `${mediaType}; charset=utf-8${named}`, message], ...beside]),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    header: /<soap:Header>(.*)<\/soap:Header>/s.exec(text)?.[1],
    body: /<soap:Body[^>]*>(.*)<\/soap:Body>/s.exec(text)?.[1] ?? text,
  };
}

/** A part beside an envelope: its Content-ID, `''` for none, its media type and content. */
export type PartOf = readonly [id: string, type: string, content: string];

/** Parts of a message, whose boundary is `edge`. */
function inParts(parts: readonly PartOf[], encoding = 'binary'): string {
  const written = parts.map(
    ([id, type, content]) =>
      `--edge\r\n${id === '' ? '' : `Content-ID: <${id}>\r\n`}Content-Type: ${type}\r\n` +
      `Content-Transfer-Encoding: ${id === 'root' ? 'binary' : encoding}\r\n\r\n${content}\r\n`,
  );
  return `${written.join('')}--edge--`;
}

/** Posts a body in an envelope with parts beside it, as SOAP Messages with Attachments are. */
export async function multipart(
  url: string,
  body: string,
  {
    parts,
    rootFirst = true,
    encoding = 'binary',
  }: {
    readonly parts: readonly PartOf[];
    readonly rootFirst?: boolean;
    readonly encoding?: string;
  },
) {
  const envelope = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${body}</e:Body></e:Envelope>`;
  const root = ['root', 'text/xml; charset=utf-8', envelope] as const;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'multipart/related; type="text/xml"; start="<root>"; boundary=edge',
    },
    body: inParts(rootFirst ? [root, ...parts] : [...parts, root], encoding),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** What stands beside the envelope of a message, by Content-ID. */
export interface MtomParts {
  readonly version?: '1.1' | '1.2';
  readonly parts?: Readonly<Record<string, Uint8Array | string>>;
  readonly partsFirst?: boolean;
}

/** A body in an envelope, as MTOM sends it: a request for `fetch`. */
export function mtomRequest(
  body: string,
  { version = '1.1', parts = {}, partsFirst = false }: MtomParts = {},
) {
  const [namespace, type] =
    version === '1.1'
      ? ['http://schemas.xmlsoap.org/soap/envelope/', 'text/xml']
      : ['http://www.w3.org/2003/05/soap-envelope', 'application/soap+xml'];
  const envelope = `<e:Envelope xmlns:e="${namespace}" xmlns:xsi="${XSI}"><e:Body>${body}</e:Body></e:Envelope>`;
  const part = (id: string, media: string, content: Uint8Array | string) => [
    `--edge\r\nContent-ID: <${id}>\r\nContent-Type: ${media}\r\nContent-Transfer-Encoding: binary\r\n\r\n`,
    content,
    '\r\n',
  ];
  const root = part('root', `application/xop+xml; charset=utf-8; type="${type}"`, envelope);
  const files = Object.entries(parts).flatMap(([id, content]) =>
    part(id, 'application/octet-stream', content),
  );
  const all = [...(partsFirst ? [...files, ...root] : [...root, ...files]), '--edge--'];
  return {
    method: 'POST',
    headers: {
      'Content-Type': `multipart/related; type="application/xop+xml"; start="<root>"; start-info="${type}"; boundary=edge`,
    },
    body: Buffer.concat(all.map((each) => Buffer.from(each))),
  };
}

/** An answer of several parts, taken apart. */
export function answerParts({
  headers,
  text,
}: {
  readonly headers: Headers;
  readonly text: string;
}) {
  const type = headers.get('content-type') ?? '';
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1] ?? '';
  const [root, ...files] = text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => ({
      id: /Content-ID: <([^>]+)>/.exec(part)?.[1] ?? '',
      type: /Content-Type: (.+)\r/.exec(part)?.[1] ?? '',
      content: part.slice(part.indexOf('\r\n\r\n') + 4, -2),
    }));
  return { type, envelope: root?.content ?? '', files };
}

const Who = service('Who', {
  namespace: 'urn:access',
  operations: { WhoAmI: operation({ input: { greeting: string }, result: string }) },
});

/** An endpoint that says who calls. @param more options of it. */
export function whoEndpoint(
  authorize: (call: IncomingCall) => string | Promise<string>,
  more: object = {},
) {
  return createEndpoint(Who, {
    path: '/Who.asmx',
    authorize,
    handlers: { WhoAmI: ({ greeting }, { caller }) => `${greeting} ${caller}` },
    ...more,
  });
}
