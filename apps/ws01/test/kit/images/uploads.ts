import {
  type CallAnswer,
  envelope,
  exchange,
  formOf,
  type Params,
  TEST_BINDINGS,
} from '../bindings.ts';
import { NAMESPACE } from '../service.ts';

/** One way to send a file, as clients in the field do. */
export interface UploadWay {
  readonly name: string;
  /** @param params those beside the file. */
  send(url: string, params: Params, file: Buffer): Promise<CallAnswer>;
}

const OPERATION = 'InsertArticleImageFile';

/** A part of a multipart message. */
export interface Part {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Uint8Array | string;
}

/** The body of a multipart message. */
export function multipart(boundary: string, parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(
      `--${boundary}\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** An envelope whose file parameter refers to a part. */
export function xopEnvelope(version: 'soap11' | 'soap12', params: Params, href: string): string {
  const include = `<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="${href}"/>`;
  return envelope(version, OPERATION, { ...params, FileImg: '@file@' }).replace('@file@', include);
}

async function answerOf(
  url: string,
  headers: Record<string, string>,
  body: string | Uint8Array,
): Promise<CallAnswer> {
  const answer = await exchange(url, { method: 'POST', headers, body });
  const result =
    /<(?:\w+Result|boolean)[^>]*>(true|false)</.exec(answer.body)?.[1] ??
    /"d":(true|false)/.exec(answer.body)?.[1];
  const code = answer.headers['x-error-code'];
  return {
    ...answer,
    result,
    code: code as string | undefined,
    message: /<message>([^<]*)/.exec(answer.body)?.[1],
  };
}

/** A POST of a message as MTOM. */
export function postMtom(
  url: string,
  contentType: string,
  body: Uint8Array,
  headers: Record<string, string> = { SOAPAction: `"${NAMESPACE}/${OPERATION}"` },
): Promise<CallAnswer> {
  return answerOf(
    `${url}/WS01.asmx`,
    { 'Content-Type': contentType, 'MIME-Version': '1.0', ...headers },
    body,
  );
}

const inBinding = (name: string): UploadWay => ({
  name,
  send: (url, params, file) => {
    const binding = TEST_BINDINGS.find((one) => one.name === name);
    return binding!.call(url, OPERATION, { ...params, FileImg: file.toString('base64') });
  },
});

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Every way that there is. */
export const UPLOAD_WAYS: readonly UploadWay[] = [
  inBinding('soap11'),
  inBinding('soap12'),
  inBinding('get'),
  inBinding('post'),
  {
    name: 'SOAP 1.1 with line breaks, CDATA and character references',
    send: (url, params, file) => {
      const lines = file.toString('base64').match(/.{1,76}/g)!;
      const text = `\r\n  ${lines[0]!.replaceAll('/', '&#47;')}\n<![CDATA[${lines.slice(1).join('\r\n')}]]>\n`;
      const body = envelope('soap11', OPERATION, { ...params, FileImg: '@file@' }).replace(
        '@file@',
        () => text,
      );
      const headers = {
        'Content-Type': 'text/xml; charset=utf-8',
        SOAPAction: `"${NAMESPACE}/${OPERATION}"`,
      };
      return answerOf(`${url}/WS01.asmx`, headers, body);
    },
  },
  {
    name: 'POST, one value a byte',
    send: (url, params, file) => {
      const bytes = Array.from(file, (byte) => `FileImg=${byte}`).join('&');
      return answerOf(`${url}/WS01.asmx/${OPERATION}`, FORM, `${formOf(params)}&${bytes}`);
    },
  },
  {
    name: 'POST, listed twice',
    send: (url, params, file) => {
      const form = formOf(params);
      form.append('FileImg', file.toString('base64'));
      form.append('FileImg', file.toString('base64'));
      return answerOf(`${url}/WS01.asmx/${OPERATION}`, FORM, form.toString());
    },
  },
  {
    name: 'POST, with every + left as it is',
    send: (url, params, file) =>
      answerOf(
        `${url}/WS01.asmx/${OPERATION}`,
        FORM,
        `${formOf(params)}&FileImg=${file.toString('base64')}`,
      ),
  },
  {
    name: 'multipart/form-data',
    send: (url, params, file) => {
      const fields = Object.entries(params).map(([name, value]) => ({
        headers: { 'Content-Disposition': `form-data; name="${name}"` },
        content: value ?? '',
      }));
      const headers = {
        'Content-Disposition': 'form-data; name="FileImg"; filename="photo.jpg"',
        'Content-Type': 'image/jpeg',
      };
      const body = multipart('form-boundary', [...fields, { headers, content: file }]);
      return answerOf(
        `${url}/WS01.asmx/${OPERATION}`,
        { 'Content-Type': 'multipart/form-data; boundary=form-boundary' },
        body,
      );
    },
  },
  {
    name: 'JSON, base64',
    send: (url, params, file) =>
      answerOf(
        `${url}/WS01.asmx/${OPERATION}`,
        { 'Content-Type': 'application/json' },
        JSON.stringify({ ...params, FileImg: file.toString('base64') }),
      ),
  },
  {
    name: 'JSON, an array of bytes',
    send: (url, params, file) =>
      answerOf(
        `${url}/WS01.asmx/${OPERATION}`,
        { 'Content-Type': 'application/json; charset=utf-8' },
        JSON.stringify({ ...params, FileImg: [...file] }),
      ),
  },
  {
    name: 'MTOM over SOAP 1.1, as WCF sends it',
    send: (url, params, file) => {
      const root = xopEnvelope(
        'soap11',
        params,
        'cid:http%3A%2F%2Ftempuri.org%2F1%2F639000000000000000',
      );
      const boundary = 'uuid:6d7b1f7e-0f0a-4c2f-8e1a-2f0d3c4b5a69+id=1';
      const body = multipart(boundary, [
        {
          headers: {
            'Content-ID': '<http://tempuri.org/0>',
            'Content-Transfer-Encoding': '8bit',
            'Content-Type': 'application/xop+xml;charset=utf-8;type="text/xml"',
          },
          content: root,
        },
        {
          headers: {
            'Content-ID': '<http://tempuri.org/1/639000000000000000>',
            'Content-Transfer-Encoding': 'binary',
            'Content-Type': 'application/octet-stream',
          },
          content: file,
        },
      ]);
      const type = `multipart/related; type="application/xop+xml";start="<http://tempuri.org/0>";boundary="${boundary}";start-info="text/xml"`;
      return postMtom(url, type, body);
    },
  },
  {
    name: 'MTOM over SOAP 1.2, as WCF sends it',
    send: (url, params, file) => {
      const root = xopEnvelope('soap12', params, 'cid:file@1');
      const boundary = 'uuid:a1b2+id=2';
      const body = multipart(boundary, [
        {
          headers: {
            'Content-ID': '<http://tempuri.org/0>',
            'Content-Transfer-Encoding': '8bit',
            'Content-Type': `application/xop+xml;charset=utf-8;type="application/soap+xml;action=\\"${NAMESPACE}/${OPERATION}\\""`,
          },
          content: root,
        },
        {
          headers: { 'Content-ID': '<file@1>', 'Content-Transfer-Encoding': 'binary' },
          content: file,
        },
      ]);
      const type = `multipart/related; type="application/xop+xml";start="<http://tempuri.org/0>";boundary="${boundary}";start-info="application/soap+xml;action=\\"${NAMESPACE}/${OPERATION}\\""`;
      return postMtom(url, type, body, {});
    },
  },
  {
    name: 'MTOM over SOAP 1.1, as CXF sends it, the file as base64',
    send: (url, params, file) => {
      const cid = '0e3a1c9a-5b1d-4d5a-9a0e-0f3a-1@urn%3Aws01';
      const boundary = 'uuid:0c5b6d8e-7f1a-4e2b-9c3d-4a5b6c7d8e9f';
      const body = multipart(boundary, [
        {
          headers: {
            'Content-Type': 'application/xop+xml; charset=UTF-8; type="text/xml"',
            'Content-Transfer-Encoding': 'binary',
            'Content-ID': '<root.message@cxf.apache.org>',
          },
          content: xopEnvelope('soap11', params, `cid:${cid}`),
        },
        {
          headers: {
            'Content-Type': 'image/jpeg',
            'Content-Transfer-Encoding': 'base64',
            'Content-ID': '<0e3a1c9a-5b1d-4d5a-9a0e-0f3a-1@urn:ws01>',
          },
          content: file.toString('base64').replace(/(.{76})/g, '$1\r\n'),
        },
      ]);
      const type = `multipart/related; type="application/xop+xml"; boundary="${boundary}"; start="<root.message@cxf.apache.org>"; start-info="text/xml"`;
      return postMtom(url, type, body);
    },
  },
  {
    name: 'MTOM over SOAP 1.2, as gSOAP sends it, the file before the envelope',
    send: (url, params, file) => {
      const boundary = '==NeA8OrUvPSbCZGjCbJ9jkdSkxjUBbV8rjMJmjVUYvUn1C3aLL==';
      const body = multipart(boundary, [
        {
          headers: {
            'Content-Type': 'image/png',
            'Content-Transfer-Encoding': 'binary',
            'Content-ID': '<id1>',
          },
          content: file,
        },
        {
          headers: {
            'Content-Type': 'application/xop+xml; charset=utf-8; type="application/soap+xml"',
            'Content-Transfer-Encoding': 'binary',
            'Content-ID': '<SOAP-ENV:Envelope>',
          },
          content: xopEnvelope('soap12', params, 'cid:id1'),
        },
      ]);
      const type = `multipart/related; charset=utf-8; boundary="${boundary}"; type="application/xop+xml"; start="<SOAP-ENV:Envelope>"; start-info="application/soap+xml"; action="${NAMESPACE}/${OPERATION}"`;
      return postMtom(url, type, body, {});
    },
  },
];
