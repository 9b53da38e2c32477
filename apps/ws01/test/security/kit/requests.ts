/** Requests as raw bytes, whole or begun. */

export type Headers = Readonly<Record<string, string>>;

export const SERVICE = '/WS01.asmx';
export const ARTICLE = `${SERVICE}/InsertArticle`;
export const IMAGE = `${SERVICE}/InsertArticleImageFile`;

export const FORM: Headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
export const JSON_TYPE: Headers = { 'Content-Type': 'application/json' };
export const MULTIPART: Headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
export const SOAP: Headers = { 'Content-Type': 'text/xml' };
export const MTOM: Headers = {
  'Content-Type':
    'multipart/related; type="application/xop+xml"; start-info="text/xml"; start="<root>"; boundary=b',
};
/** As a page of the console sends it: others are refused before anything is read. */
export const OF_CONSOLE: Headers = {
  Host: 'localhost',
  Origin: 'http://localhost',
  'Sec-Fetch-Site': 'same-origin',
};
/** As a client of the Model Context Protocol says what it reads. */
export const OF_MCP: Headers = {
  ...JSON_TYPE,
  Accept: 'application/json, text/event-stream',
};
export const GZIP: Headers = { 'Content-Encoding': 'gzip' };

/** A POST with its length declared. @param declared of a body that does not come whole; bytes. */
export function post(
  path: string,
  headers: Headers,
  body: string | Uint8Array,
  declared?: number,
): Buffer {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([
    Buffer.from(
      head('POST', path, { ...headers, 'Content-Length': String(declared ?? bytes.length) }),
    ),
    bytes,
  ]);
}

/** A POST whose body comes in one chunk of HTTP, and does not end. */
export function begunInChunks(path: string, headers: Headers, body: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(head('POST', path, { ...headers, 'Transfer-Encoding': 'chunked' })),
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n'),
  ]);
}

export function get(target: string, headers: Headers = {}): Buffer {
  return Buffer.from(head('GET', target, headers));
}

function head(method: string, target: string, headers: Headers): string {
  const lines = Object.entries({ Host: 'x', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A text again and again, of about so many bytes. */
export function fill(text: string, bytes: number): string {
  return text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(text))));
}

/** An envelope of SOAP 1.1. @param namespace of the service. */
export function soap(content: string, operation = 'InsertArticle', namespace = 'urn:ws01'): string {
  return `${soapHead(operation, namespace)}${content}</${operation}></s:Body></s:Envelope>`;
}

/** An envelope up to the content of its operation. */
export function soapHead(operation: string, namespace = 'urn:ws01'): string {
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation} xmlns="${namespace}">`;
}
