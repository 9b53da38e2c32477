import { ServiceError } from '../../../../../packages/asmx/src/contract/errors.ts';
import { defineLimits, type Limits } from '../../../../../packages/asmx/src/contract/limits.ts';
import { credentialOf } from '../../../../../packages/asmx/src/contract/service.ts';
import type { IncomingCall } from '../../../../../packages/asmx/src/exchange/handler-call.ts';
import { RawConnection } from '../../../../../packages/asmx/test/kit/http.ts';
import { ECHO_NAMESPACE } from '../../kit/echo.ts';
import {
  FORM,
  type Headers,
  IMAGE,
  JSON_TYPE,
  MTOM,
  MULTIPART,
  SERVICE,
  SOAP,
  soapHead,
} from './requests.ts';

export type Test = { after(close: () => unknown): void };

/** The credential of operations 1 and 5 is checked by its text: `good` is. */
export function checking(limits: Partial<Limits>, checked: string[] = []) {
  return {
    limits: defineLimits(limits),
    authorize: ({ operation, text }: IncomingCall) => {
      const parameter = credentialOf(operation);
      const credential = parameter && text(parameter.name);
      if (parameter !== undefined) checked.push(credential ?? '');
      if (parameter !== undefined && credential !== 'good')
        throw new ServiceError('Unauthenticated', 'Not good.');
      return undefined;
    },
  };
}

export async function send(test: Test, port: number, bytes: Uint8Array): Promise<RawConnection> {
  const connection = await RawConnection.open(test, port);
  connection.socket.write(bytes);
  return connection;
}

export async function codeOf(connection: RawConnection): Promise<string> {
  const { status, head, body } = await connection.answer();
  const limit = /the limit (\w+)/.exec(body)?.[1];
  return [status, /^x-error-code: (\w+)/im.exec(head)?.[1], limit]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** Without a `+`: a form that did not encode one near its beginning is decoded at its end (semantics 5.5). */
export const file = Buffer.alloc(60_000, 'a picture').toString('base64');
/** Beginnings of an upload in each way: up to the credential, and from there on. */
export const WAYS: readonly {
  name: string;
  path: string;
  headers: Headers;
  before: (credential: string) => string;
  begun: string;
}[] = [
  {
    name: 'form',
    path: IMAGE,
    headers: FORM,
    before: (text) => `verifyCode=${text}&FileGuid=a&`,
    begun: `FileImg=${file}`,
  },
  {
    name: 'JSON',
    path: IMAGE,
    headers: JSON_TYPE,
    before: (text) => `{"verifyCode":"${text}",`,
    begun: `"FileImg":"${file}`,
  },
  {
    name: 'multipart form',
    path: IMAGE,
    headers: MULTIPART,
    before: (text) => `--b\r\nContent-Disposition: form-data; name=verifyCode\r\n\r\n${text}\r\n`,
    begun: `--b\r\nContent-Disposition: form-data; name=FileImg; filename=f\r\n\r\n${file}`,
  },
  {
    name: 'SOAP',
    path: SERVICE,
    headers: SOAP,
    before: (text) =>
      `${soapHead('InsertArticleImageFile', ECHO_NAMESPACE)}<verifyCode>${text}</verifyCode>`,
    begun: `<FileImg>${file}`,
  },
  {
    name: 'MTOM',
    path: SERVICE,
    headers: MTOM,
    before: (text) =>
      `--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\nContent-ID: <root>\r\n\r\n${soapHead('InsertArticleImageFile', ECHO_NAMESPACE)}` +
      `<verifyCode>${text}</verifyCode><FileImg><xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:f"/></FileImg>` +
      '</InsertArticleImageFile></s:Body></s:Envelope>\r\n',
    begun: `--b\r\nContent-ID: <f>\r\n\r\n${file}`,
  },
];
