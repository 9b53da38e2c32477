import { statusOf, typeOf } from '../answer.ts';
import type { Difference } from '../differences.ts';

export const JSON_DIFFERENCES: readonly Difference[] = [
  {
    id: 'json-error',
    situation: 'A JSON call that cannot be read, has a wrong value or fails',
    asmx: '500 with `Message`, `StackTrace`, `ExceptionType` and `jsonerror: true`; the recording server (Mono) mostly sent an HTML page',
    ours: 'the status of the code, as problem details (RFC 9457) that also have ASP.NET’s three members, and `jsonerror: true`',
    why: 'jQuery’s handlers read `Message`; others read the status.',
    covers: ({ recorded, ours }) =>
      statusOf(recorded) === 500 && statusOf(ours) >= 400 && typeOf(ours) === 'application/problem+json',
  },
];
