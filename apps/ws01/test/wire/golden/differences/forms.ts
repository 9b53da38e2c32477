import { errorOf, faultOf, statusOf, typeOf } from '../answer.ts';
import type { Difference } from '../differences.ts';

export const FORM_DIFFERENCES: readonly Difference[] = [
  {
    id: 'form-media-type',
    situation:
      'A POST to an operation’s path that is no form: `text/xml`, `…urlencoded ;` with a blank',
    asmx: '500, `Request format is invalid: ` and the type',
    ours: '415 with an `<error>` document that names the right types',
    why: 'Nothing on the server failed.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 415 &&
      faultOf(ours) === undefined &&
      recorded.body.startsWith('Request format is invalid: '),
  },
  {
    id: 'multipart',
    situation: '`multipart/form-data`',
    asmx: '500, `Request format is invalid: ` and the type',
    ours: 'a form like any other',
    why: 'Browsers upload files so.',
    covers: ({ request, recorded, ours }) =>
      request.header('content-type').startsWith('multipart/form-data') &&
      recorded.body.startsWith('Request format is invalid: ') &&
      statusOf(ours) === 200,
  },
  {
    id: 'missing-parameter',
    situation: 'A parameter that is not given',
    asmx: '500, `Missing parameter: ` and its name; for FileImg `Object reference not set…`',
    ours: 'not given; the operation says which ones it needs',
    why: 'As over SOAP.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 200 &&
      /^(?:Missing parameter: |Object reference not set)/.test(recorded.body),
  },
  {
    id: 'file-forms',
    situation: 'FileImg over GET and POST that is not one decimal byte a value',
    asmx: '500, `Cannot convert …`',
    ours: 'base64',
    why: 'Nobody but .NET’s own forms sends one number a byte.',
    covers: ({ request, recorded, ours }) =>
      request.target.includes('/InsertArticleImageFile') &&
      recorded.body.startsWith('Cannot convert ') &&
      statusOf(ours) === 200,
  },
  {
    id: 'request-validation',
    situation: '`<tag` or `&#` in a value',
    asmx: '500, `A potentially dangerous Request.Form value…`, unless request validation is off',
    ours: 'text like any other',
    why: 'Articles are HTML; what is shown is escaped where it is shown.',
    covers: ({ recorded, ours }) =>
      recorded.body.startsWith('A potentially dangerous Request.') &&
      (statusOf(ours) === 200 || errorOf(ours)?.code === 'InvalidParameter'),
  },
  {
    id: 'percent-u',
    situation: '`%uXXXX` in a query or form',
    asmx: 'decoded; the recording server (Mono) leaves it as it is',
    ours: 'decoded',
    why: 'As .NET Framework does, whose proxies write it.',
    covers: ({ request, ours }) =>
      /%u[\da-f]{4}/i.test(request.target + request.body) && statusOf(ours) === 200,
  },
  {
    id: 'form-wrong-value',
    situation: 'A value of the wrong form over GET and POST',
    asmx: '500, `Cannot convert …` as a line of text',
    ours: '400 with an `<error>` document that names the parameter and a right form',
    why: 'Nothing on the server failed.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 400 &&
      typeOf(ours) === 'text/xml' &&
      errorOf(ours)?.code === 'InvalidParameter' &&
      recorded.body.startsWith('Cannot convert '),
  },
  {
    id: 'charset-in-apostrophes',
    situation: "A form with `charset='…'` in apostrophes, or `CHARSET=` in capitals",
    asmx: 'not known: UTF-8; the recording server (Mono)',
    ours: 'known',
    why: 'Names of parameters have no case (RFC 9110 5.6.6).',
    covers: ({ request, recorded, ours }) =>
      /CHARSET=|charset='/.test(request.header('content-type')) &&
      statusOf(recorded) === 200 &&
      statusOf(ours) === 200,
  },
  {
    id: 'form-grammar',
    situation: 'Names without `=` in a form; `&amp;` for `&` in a query',
    asmx: 'the recording server (Mono) takes names without `=` for empty values, and `&amp;` for `&`; .NET Framework does not',
    ours: 'a text without a name; a name that begins with `amp;`: not given',
    why: 'As .NET Framework splits them.',
    covers: ({ request, recorded, ours }) =>
      /&amp;|^\w+(?:&\w+)*$/.test(request.method === 'GET' ? request.target : request.body) &&
      statusOf(recorded) === 200 &&
      /:null/.test(ours.body),
  },
  {
    id: 'invalid-utf-8',
    situation: 'Bytes in a query or form that are not UTF-8',
    asmx: 'U+FFFD for each run, in number as the version of .NET counts them',
    ours: 'U+FFFD as browsers count them',
    why: 'The text is lost either way.',
    covers: ({ recorded, ours }) => {
      const fewer = (text: string) => text.replaceAll(/(?:\\ufffd)+/g, '\\ufffd');
      return recorded.body !== ours.body && fewer(recorded.body) === fewer(ours.body);
    },
  },
];
