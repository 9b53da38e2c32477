import { WS01 } from '../../../src/contract/service.ts';
import { TOKEN } from '../../kit/names.ts';
import type { ReaderAttack } from './reader-attacks.ts';
import { ARTICLE, FORM, fill, IMAGE, JSON_TYPE, post, SERVICE, SOAP, soap } from './requests.ts';

const article =
  (text: string, headers = FORM) =>
  (bytes: number) =>
    post(ARTICLE, headers, `token=${TOKEN}&guid=g&CreateUserId=u&content=${fill(text, bytes)}`);
const image =
  (text: string, before = '') =>
  (bytes: number) =>
    post(IMAGE, FORM, `verifyCode=${TOKEN}&FileGuid=f&${before}${fill(text, bytes)}`);
const json = (text: string) => (bytes: number) =>
  post(
    ARTICLE,
    JSON_TYPE,
    `{"token":"${TOKEN}","guid":"g","CreateUserId":"u","content":"${fill(text, bytes)}"}`,
  );
const envelope = (text: string) => (bytes: number) =>
  post(
    SERVICE,
    SOAP,
    soap(
      `<token>${TOKEN}</token><guid>g</guid><CreateUserId>u</CreateUserId><content>${fill(text, bytes)}</content>`,
    ),
  );
const charset = (name: string) => ({
  'Content-Type': `application/x-www-form-urlencoded; charset=${name}`,
});

/** Requests with a good credential that are read to their end, and carried out. */
export const READ_WITH_CREDENTIAL: readonly ReaderAttack[] = [
  { name: 'form: a long text', make: article('x') },
  { name: 'form: an escaped value', make: article('%41') },
  { name: 'form: a value of %u escapes', make: article('%u4e2d') },
  {
    name: 'form: bytes and %u escapes in turn, in GB 18030',
    make: article('%u4e2d%81%30', charset('gb18030')),
  },
  { name: 'form: a file as one byte a pair', make: image('FileImg=1&') },
  { name: 'form: base64 of blanks', make: image('+', 'FileImg=') },
  { name: 'form: base64 with a blank behind each character', make: image('A%20', 'FileImg=') },
  { name: 'JSON: a string of \\u escapes', make: json('\\u0041') },
  {
    name: 'JSON: a file of numbers',
    make: (n) =>
      post(
        IMAGE,
        JSON_TYPE,
        `{"verifyCode":"${TOKEN}","FileGuid":"f","FileImg":[${fill('1,', n)}1]}`,
      ),
  },
  { name: 'SOAP: a long text', make: envelope('x') },
  { name: 'SOAP: references', make: envelope('&#65;') },
  { name: 'SOAP: carriage returns', make: envelope('\r') },
];

/** What a value is filled with: letters, digits, blanks, and whatever some rule or other looks for. */
const TEXTS = ['a', '1', ' ', '<a>', '&amp;', '@', '/', 'a@b.c ', '\u200b', '中'];

/** An operation, one of its parameters, and that filled with a text; the others have the values of the samples. */
export interface ValueAttack extends ReaderAttack {
  readonly operation: string;
}

/** Each parameter of each operation at its longest; a megabyte where it has no length of its own, and one over it. */
export const VALUES_WITH_CREDENTIAL: readonly ValueAttack[] = WS01.operations.flatMap(
  ({ name, parameters }) =>
    parameters
      .filter((one) => !('credential' in one) && one.type !== 'base64Binary')
      .flatMap((parameter) =>
        TEXTS.map((text) => ({
          operation: name,
          name: `${parameter.name} of ${JSON.stringify(text)}`,
          make: (bytes: number) => {
            const longest = 'maxLength' in parameter ? (parameter.maxLength ?? bytes) : bytes;
            const value = text
              .repeat(Math.ceil(bytes / text.length))
              .slice(0, Math.min(bytes, longest));
            const samples = parameters.map((one) => [
              one.name,
              'credential' in one ? TOKEN : one.sample,
            ]);
            const values = { ...Object.fromEntries(samples), [parameter.name]: value };
            return post(`${SERVICE}/${name}`, JSON_TYPE, JSON.stringify(values));
          },
        })),
      ),
);
