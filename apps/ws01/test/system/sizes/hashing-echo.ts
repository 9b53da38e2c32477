import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Random } from '../../../../../packages/asmx/test/kit/random.ts';
import { ERRORS, type ErrorCode, Ws01Error } from '../../../src/contract/errors.ts';
import { type EchoService, startEcho } from '../../kit/echo.ts';

/** What is raised says so, in a sentence that no client has of itself. */
const sentenceOf = (code: string) => `Here ${code} is raised; send it again tomorrow.`;

/** The echo, which answers with what it understood: of a text and of a file its sha256. */
export function startHashingEcho(test: TestContext): Promise<EchoService> {
  return startEcho(test, {
    handlers: {
      InsertArticle({ content = '', caption }) {
        if (caption !== undefined) throw new Ws01Error(caption as ErrorCode, sentenceOf(caption));
        return sha256(content);
      },
      InsertArticleImageFile: ({ FileImg, Link_Guid }) => sha256(FileImg!) === Link_Guid,
      QueryAdvert: ({ pagesize }) => TEXT.slice(0, pagesize),
    },
  });
}

/** A call that a client makes, and what it must come back with. Values are text, as over GET. */
export interface ClientCall {
  readonly name: string;
  readonly operation: string;
  readonly values: Readonly<Record<string, string>>;
  /** The result, or the end of what a person sees of the refusal. */
  readonly answer?: string;
  readonly error?: string;
}

/** Letters and digits, which no binding has to escape. */
const TEXT = (() => {
  const random = new Random(38);
  return Array.from({ length: 4_000_000 }, () => random.below(36).toString(36)).join('');
})();

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What an old client cannot leave out of an article. */
const ALWAYS = { pinnedTopDueDate: '2031-12-25T00:00:00Z', Status: '1' };

/** A text of so many characters. */
export const textCall = (chars: number): ClientCall => ({
  name: `text ${chars}`,
  operation: 'InsertArticle',
  values: { token: 't', content: TEXT.slice(0, chars), ...ALWAYS },
  answer: sha256(TEXT.slice(0, chars)),
});

/** A file of so many bytes, each as likely as another. */
export function fileCall(bytes: number): ClientCall {
  const file = Buffer.from(TEXT.repeat(Math.ceil(bytes / TEXT.length)).slice(0, bytes));
  for (let at = 0; at < bytes; at++) file[at]! = (file[at]! * 7 + at) & 255;
  const values = {
    verifyCode: 't',
    FileImg: file.toString('base64'),
    Link_Guid: sha256(file),
    IsIcons: 'false',
  };
  return { name: `file ${bytes}`, operation: 'InsertArticleImageFile', values, answer: 'true' };
}

/** An answer of so many characters. */
export const answerCall = (chars: number): ClientCall => ({
  name: `answer ${chars}`,
  operation: 'QueryAdvert',
  values: { pagesize: String(chars), pageindex: '1' },
  answer: TEXT.slice(0, chars),
});

/** A call that is refused with a code of the service. */
export const refusedCall = (code: ErrorCode): ClientCall => ({
  name: `refused ${code}`,
  operation: 'InsertArticle',
  values: { token: 't', caption: code, content: 'c', ...ALWAYS },
  error: sentenceOf(code),
});

/** What a call may be refused with in words of its own; a VersionMismatch is in the other version of SOAP. */
export const RAISED = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code) => code !== 'Internal' && code !== 'VersionMismatch',
);
