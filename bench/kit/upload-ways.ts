import { TOKEN } from './sides/service.ts';

/** The ways in which a client may send the file of InsertArticleImageFile. */
const OPERATION = 'InsertArticleImageFile';

/** A way to send a file: the request's head and tail, and how a piece of the file stands in it. */
export interface Way {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly before: string;
  readonly piece: (bytes: Buffer) => Buffer | string;
  readonly after: string;
  /** How many bytes one byte of the file takes. */
  readonly growth: number;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const soap = (file: string): string =>
  `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${OPERATION} xmlns="urn:ws01">` +
  `<verifyCode>${TOKEN}</verifyCode><FileGuid>bench</FileGuid><FileImg>${file}</FileImg></${OPERATION}></soap:Body></soap:Envelope>`;
const [soapBefore, soapAfter] = soap('@').split('@') as [string, string];
const part = (headers: string): string => `--b\r\n${headers}\r\n\r\n`;
const field = (name: string, value: string): string =>
  `${part(`Content-Disposition: form-data; name="${name}"`)}${value}\r\n`;
const SOAP_ACTION = { SOAPAction: `"urn:ws01/${OPERATION}"` };
const OPERATION_PATH = `/WS01.asmx/${OPERATION}`;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export const WAYS: readonly Way[] = [
  {
    name: 'SOAP 1.1, base64',
    path: '/WS01.asmx',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', ...SOAP_ACTION },
    before: soapBefore,
    piece: base64,
    after: soapAfter,
    growth: 4 / 3,
  },
  {
    name: 'SOAP 1.1, MTOM',
    path: '/WS01.asmx',
    headers: {
      'Content-Type': 'multipart/related; type="application/xop+xml"; start-info="text/xml"; boundary=b',
      ...SOAP_ACTION,
    },
    before:
      part('Content-Type: application/xop+xml; type="text/xml"') +
      soap('<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:f"/>') +
      `\r\n${part('Content-ID: <f>')}`,
    piece: (bytes) => bytes,
    after: '\r\n--b--\r\n',
    growth: 1,
  },
  {
    name: 'multipart/form-data',
    path: OPERATION_PATH,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    before:
      field('verifyCode', TOKEN) +
      field('FileGuid', 'bench') +
      part('Content-Disposition: form-data; name="FileImg"; filename="f"'),
    piece: (bytes) => bytes,
    after: '\r\n--b--\r\n',
    growth: 1,
  },
  {
    name: 'POST, base64',
    path: OPERATION_PATH,
    headers: FORM,
    before: `verifyCode=${TOKEN}&FileGuid=bench&FileImg=`,
    piece: (bytes) => base64(bytes).replaceAll('+', '%2B'),
    after: '',
    growth: 4 / 3,
  },
  {
    name: 'POST, one value a byte',
    path: OPERATION_PATH,
    headers: FORM,
    before: `verifyCode=${TOKEN}&FileGuid=bench`,
    piece: (bytes) => Array.from(bytes, (byte) => `&FileImg=${byte}`).join(''),
    after: '',
    growth: 12,
  },
  {
    name: 'JSON, base64',
    path: OPERATION_PATH,
    headers: { 'Content-Type': 'application/json' },
    before: `{"verifyCode":"${TOKEN}","FileGuid":"bench","FileImg":"`,
    piece: base64,
    after: '"}',
    growth: 4 / 3,
  },
];
