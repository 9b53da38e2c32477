import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Endpoint, nodeListener } from '../../src/index.ts';

/** Serves an endpoint on a free port. @returns the URL of the server. */
export async function serve(
  test: { after(close: () => unknown): void },
  ...endpoints: readonly Endpoint[]
): Promise<string> {
  const listeners = endpoints.map((endpoint) => nodeListener(endpoint));
  const server = createServer((req, res) => {
    if (!listeners.some((listener) => listener(req, res))) res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface SoapParts {
  readonly version?: '1.1' | '1.2';
  readonly action?: string;
  readonly header?: string;
  readonly http?: Readonly<Record<string, string>>;
}

/** Posts a body in an envelope. @returns the status, and the answer's body without its envelope. */
export async function soap(url: string, body: string, parts: SoapParts = {}) {
  const is12 = parts.version === '1.2';
  const envelope = is12
    ? 'http://www.w3.org/2003/05/soap-envelope'
    : 'http://schemas.xmlsoap.org/soap/envelope/';
  const head = parts.header === undefined ? '' : `<soap:Header>${parts.header}</soap:Header>`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': is12 ? 'application/soap+xml; charset=utf-8' : 'text/xml; charset=utf-8',
      ...(parts.action === undefined ? {} : { SOAPAction: `"${parts.action}"` }),
      ...parts.http,
    },
    body: `<?xml version="1.0"?><soap:Envelope xmlns:soap="${envelope}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">${head}<soap:Body>${body}</soap:Body></soap:Envelope>`,
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
  const part = (id: string, type: string, content: string, encoded = 'binary') =>
    `--edge\r\n${id === '' ? '' : `Content-ID: <${id}>\r\n`}Content-Type: ${type}\r\n` +
    `Content-Transfer-Encoding: ${encoded}\r\n\r\n${content}\r\n`;
  const envelope = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${body}</e:Body></e:Envelope>`;
  const root = part('root', 'text/xml; charset=utf-8', envelope);
  const beside = parts.map(([id, type, content]) => part(id, type, content, encoding)).join('');
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'multipart/related; type="text/xml"; start="<root>"; boundary=edge',
    },
    body: `${rootFirst ? root + beside : beside + root}--edge--`,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
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
