import { gzipSync } from 'node:zlib';
import {
  ARTICLE,
  FORM,
  fill,
  GZIP,
  get,
  IMAGE,
  JSON_TYPE,
  MTOM,
  MULTIPART,
  post,
  SERVICE,
  SOAP,
  soap,
} from './requests.ts';

/** A class of requests without a credential that cost a reader more than their share, or did. */
export interface ReaderAttack {
  readonly name: string;
  /** The port it is sent to, where that is not the service's own. */
  readonly side?: 'console' | 'metrics';
  /** The request. @param bytes of its body, before it is compressed */
  readonly make: (bytes: number) => Buffer;
}

const form =
  (path: string, text: string, before = '') =>
  (bytes: number) =>
    post(path, FORM, before + fill(text, bytes));
const json = (path: string, text: string, before: string, after: string) => (bytes: number) =>
  post(path, JSON_TYPE, before + fill(text, bytes) + after);
const envelope =
  (text: string, before = '', after = '', operation?: string) =>
  (bytes: number) =>
    post(SERVICE, SOAP, soap(before + fill(text, bytes) + after, operation));
const attributes = (make: (index: number) => string) =>
  Array.from({ length: 60 }, (_, index) => make(index)).join(' ');
const inPart = (text: string) => (bytes: number) =>
  post(
    ARTICLE,
    MULTIPART,
    `--b\r\nContent-Disposition: form-data; name=content\r\n\r\n${fill(text, bytes)}\r\n--b--`,
  );
const FILE_PART = '--b\r\nContent-Disposition: form-data; name=FileImg; filename=f\r\n\r\nx\r\n';
const CHARSET = { 'Content-Type': 'application/x-www-form-urlencoded; charset=gb18030' };
const UTF16 = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-16' };

const inCharset = (charset: string, byte: number) => (bytes: number) =>
  post(
    ARTICLE,
    { 'Content-Type': `application/x-www-form-urlencoded; charset=${charset}` },
    Buffer.concat([Buffer.from('content='), Buffer.alloc(bytes, byte)]),
  );
const inEnvelope = (content: Buffer) => {
  const [before, after] = soap('<content>|</content>').split('|');
  return Buffer.concat([Buffer.from(before!), content, Buffer.from(after!)]);
};

const PLAIN: readonly ReaderAttack[] = [
  { name: 'form: % and &', make: form(ARTICLE, '%&') },
  { name: 'form: one name repeated', make: form(ARTICLE, 'guid=1&') },
  { name: 'form: & alone', make: form(ARTICLE, '&') },
  { name: 'form: names without =', make: form(ARTICLE, 'a&') },
  { name: 'form: escaped names', make: form(ARTICLE, '%61=&') },
  { name: 'form: an escaped value', make: form(ARTICLE, '%41', 'content=') },
  { name: 'form: a value of %u escapes', make: form(ARTICLE, '%u4e2d', 'content=') },
  { name: 'form: a value of bad escapes', make: form(ARTICLE, '%', 'content=') },
  {
    name: 'form: bytes and %u escapes in turn, in GB 18030',
    make: (n) => post(ARTICLE, CHARSET, `content=${fill('%u4e2d%81%30', n)}`),
  },
  {
    name: 'form: bytes and %u escapes in turn, in UTF-16',
    make: (n) => post(ARTICLE, UTF16, `content=${fill('%u4e2d%41', n)}`),
  },
  { name: 'form: bytes that are no text, in US-ASCII', make: inCharset('us-ascii', 0xff) },
  { name: 'form: bytes in code page 437', make: inCharset('ibm437', 0xe1) },
  { name: 'form: bytes in UTF-32', make: inCharset('utf-32', 0x01) },
  { name: 'form: a file as one byte a pair, signed', make: form(IMAGE, 'FileImg=%2B1&') },
  {
    name: 'form: a file under two spellings of its name',
    make: form(IMAGE, 'FileImg=1&fileImg=1&'),
  },
  { name: 'form: a file as one byte a pair', make: form(IMAGE, 'FileImg=1&') },
  { name: 'form: a file of empty values', make: form(IMAGE, 'FileImg=&') },
  { name: 'form: a file of many contents', make: form(IMAGE, 'FileImg=AAAA&') },
  { name: 'form: base64 of blanks', make: form(IMAGE, '+', 'FileImg=') },
  {
    name: 'form: base64 with a blank behind each character',
    make: form(IMAGE, 'A%20', 'FileImg='),
  },
  { name: 'JSON: members', make: json(ARTICLE, '"a":1,', '{', '"a":1}') },
  { name: 'JSON: numbers', make: json(ARTICLE, '1,', '{"x":[', '1]}') },
  { name: 'JSON: a file of numbers', make: json(IMAGE, '1,', '{"FileImg":[', '1]}') },
  { name: 'JSON: a file of numbers, spaced', make: json(IMAGE, '1 , ', '{"FileImg":[', '1]}') },
  { name: 'JSON: a file of signed numbers', make: json(IMAGE, '+1,', '{"FileImg":[', '1]}') },
  { name: 'JSON: a file of many contents', make: json(IMAGE, '"A",', '{"FileImg":[', '"A"]}') },
  { name: 'JSON: a string of escapes', make: json(ARTICLE, '\\n', '{"content":"', '"}') },
  { name: 'JSON: a string of \\u escapes', make: json(ARTICLE, '\\u0041', '{"content":"', '"}') },
  { name: 'SOAP: references', make: envelope('&#65;', '<content>', '</content>') },
  {
    name: 'SOAP: a file of references',
    make: envelope('&#65;', '<FileImg>', '</FileImg>', 'InsertArticleImageFile'),
  },
  { name: 'SOAP: references in attributes', make: envelope(`<a b="${'&#65;'.repeat(10_000)}"/>`) },
  {
    name: 'SOAP: bytes that are no text',
    make: (n) => post(SERVICE, SOAP, inEnvelope(Buffer.alloc(n, 0xff))),
  },
  { name: 'SOAP: elements', make: envelope('<a/>') },
  { name: 'SOAP: attributes', make: envelope(`<a ${attributes((index) => `a${index}=""`)}/>`) },
  {
    name: 'SOAP: namespaces',
    make: envelope(`<a ${attributes((index) => `xmlns:a${index}="u"`)}/>`),
  },
  { name: 'SOAP: comments', make: envelope('<!---->') },
  { name: 'SOAP: processing instructions', make: envelope('<?a?>') },
  { name: 'SOAP: CDATA', make: envelope('<![CDATA[]]>', '<content>', '</content>') },
  { name: 'SOAP: carriage returns', make: envelope('\r', '<content>', '</content>') },
  {
    name: 'multipart: parts',
    make: (n) =>
      post(
        ARTICLE,
        MULTIPART,
        `${fill('--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n', n)}--b--`,
      ),
  },
  { name: 'multipart: beginnings of a boundary', make: inPart('\r\n-') },
  {
    name: 'multipart: a file in many parts',
    make: (n) => post(IMAGE, MULTIPART, `${fill(FILE_PART, n)}--b--`),
  },
  {
    name: 'MTOM: parts of one Content-ID',
    make: (n) => post(SERVICE, MTOM, `${fill('--b\r\nContent-ID: <f>\r\n\r\nx\r\n', n)}--b--`),
  },
  {
    name: 'MTOM: parts without a Content-ID',
    make: (n) => post(SERVICE, MTOM, `${fill('--b\r\n\r\nx\r\n', n)}--b--`),
  },
];

/** The same, compressed: a few kilobytes on the wire. */
function compressed({ name, make }: ReaderAttack): ReaderAttack {
  return {
    name: `${name}, gzip`,
    make(bytes) {
      const request = make(bytes);
      const end = request.indexOf('\r\n\r\n') + 4;
      const [line, type] = request
        .toString('latin1', 0, end)
        .split('\r\n')
        .filter((text) => /^POST|^Content-Type/.test(text));
      const [, path] = line!.split(' ');
      return post(
        path!,
        { ...GZIP, 'Content-Type': type!.slice('Content-Type: '.length) },
        gzipSync(request.subarray(end)),
      );
    },
  };
}

const IN_QUERY: readonly ReaderAttack[] = [
  { name: 'query: & alone', make: (n) => get(`${ARTICLE}?${fill('&', n / 3)}`) },
  { name: 'query: escapes', make: (n) => get(`${ARTICLE}?content=${fill('%41', n / 3)}`) },
  { name: 'query: one name repeated', make: (n) => get(`${ARTICLE}?${fill('guid=1&', n / 3)}`) },
  {
    name: 'query: a file as one byte a pair',
    make: (n) => get(`${IMAGE}?${fill('FileImg=1&', n / 3)}`),
  },
];

export const READER_ATTACKS: readonly ReaderAttack[] = [
  ...PLAIN,
  ...PLAIN.map(compressed),
  ...IN_QUERY,
];

/** What any request of as many bytes costs: it is only looked at. */
export const HONEST: ReaderAttack = { name: 'a long text', make: form(ARTICLE, 'x', 'content=') };
