import { type Answer, errorOf, statusOf, typeOf } from '../answer.ts';
import type { Difference } from '../differences.ts';

export const JSON_DIFFERENCES: readonly Difference[] = [
  {
    id: 'json-error',
    situation: 'A JSON call that cannot be read, has a wrong value or fails',
    asmx: '500 with `Message`, `StackTrace`, `ExceptionType` and `jsonerror: true`; the recording server (Mono) mostly sent an HTML page',
    ours: 'the status of the code, as problem details (RFC 9457) that also have ASP.NET’s three members, and `jsonerror: true`',
    why: 'jQuery’s handlers read `Message`; others read the status.',
    covers: ({ recorded, ours }) =>
      statusOf(recorded) === 500 &&
      statusOf(ours) >= 400 &&
      typeOf(ours) === 'application/problem+json',
  },
  {
    id: 'json-repeated-name',
    situation: 'A name twice in a JSON call',
    asmx: 'the last counts',
    ours: 'the first, as over SOAP',
    why: 'A credential is checked as soon as it is read, and must not change then.',
    covers: ({ request, recorded, ours }) =>
      /"(\w+)":[\s\S]*"\1":/.test(request.body) && isJson(recorded) && isJson(ours),
  },
  {
    id: 'json-name-case',
    situation: 'A name of a JSON call in another letter case',
    asmx: '500, `Invalid web service call, missing value for parameter: ` and the name; the recording server (Mono) takes it as not given; members of objects are taken in any case',
    ours: 'taken in any case everywhere, as over GET and POST; the one that is spelled as in the contract counts before any other',
    why: '.NET’s `PostAsJsonAsync` writes camelCase; to drop a name would store an article without its owner and status.',
    covers: ({ recorded, ours }) =>
      isJson(recorded) &&
      isJson(ours) &&
      recorded.body.includes(':null') &&
      !ours.body.includes(':null'),
  },
  {
    id: 'json-empty-array',
    situation: '`[]` for a file',
    asmx: 'an empty file',
    ours: 'not given',
    why: 'There is no file without bytes; both are refused by the operation.',
    covers: ({ request, recorded, ours }) =>
      request.body.includes('[]') && isJson(recorded) && isJson(ours),
  },
  {
    id: 'json-wider-values',
    situation: "An array of one for a text; `/Date(0+0800)/`; `\\'` in double quotes",
    asmx: 'the recording server (Mono) sent an HTML page',
    ours: 'the item, the instant, the apostrophe',
    why: 'They say what is meant; .NET writes dates so.',
    covers: ({ request, recorded, ours }) =>
      statusOf(recorded) === 500 && isJson(ours) && /\[|[+-]\d{4}\)|\\'/.test(request.body),
  },
  {
    id: 'json-fraction',
    situation: 'A fraction for an int: `1.5`',
    asmx: 'rounded to the even one: 2',
    ours: '400',
    why: 'Whoever sends it means something else; `5.0` and `1e1` are whole numbers and are taken.',
    covers: ({ request, recorded, ours }) =>
      /:-?\d+\.\d*[1-9]/.test(request.body) &&
      isJson(recorded) &&
      errorOf(ours)?.code === 'InvalidParameter',
  },
  {
    id: 'json-half-pair',
    situation: 'Half of a surrogate pair as an escape: `"\\ud83d"`',
    asmx: 'taken',
    ours: '400',
    why: 'It cannot be written as UTF-8 again.',
    covers: ({ request, recorded, ours }) =>
      /\\ud[89a-f]/i.test(request.body) &&
      isJson(recorded) &&
      errorOf(ours)?.code === 'MalformedRequest',
  },
  {
    id: 'json-types',
    situation: 'A content type that only begins like JSON’s: `application/jsonrequest`',
    asmx: 'JSON to the recording server (Mono); .NET Framework asks for `application/json` or `application/json;`',
    ours: '415',
    why: 'As .NET Framework.',
    covers: ({ request, recorded, ours }) =>
      /^application\/json\w/.test(request.header('content-type')) &&
      isJson(recorded) &&
      statusOf(ours) === 415,
  },
  {
    id: 'json-over-get',
    situation: 'GET with `Content-Type: application/json`',
    asmx: 'an error; the recording server (Mono) answers in JSON',
    ours: 'a call by GET: XML',
    why: 'A GET has no content; the header says nothing of the answer.',
    covers: ({ request, recorded, ours }) =>
      request.method === 'GET' && isJson(recorded) && typeOf(ours) === 'text/xml',
  },
];

const isJson = (answer: Answer): boolean =>
  statusOf(answer) === 200 && typeOf(answer) === 'application/json';
