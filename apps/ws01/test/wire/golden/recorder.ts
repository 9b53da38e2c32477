import { showInstant } from '../../kit/echo.ts';
import { type Answer, statusOf, typeOf } from './answer.ts';

/**
 * What the recording server did otherwise than ASP.NET on Windows does. It ran Microsoft's web service code, but Mono's
 * System.Web, JSON and date classes around it (the list is in `docs/compatibility.md`). Each trait corrects one thing, and
 * nothing else of the answer.
 */
interface Trait {
  readonly what: string;
  correct(answer: Answer): Answer;
}

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';

export const TRAITS: readonly Trait[] = [
  {
    what: 'Lines end in LF, on Windows in CR LF: behind the XML declaration of a GET or POST answer, and in WSDL and disco.',
    correct: (answer) => {
      if (typeOf(answer) !== 'text/xml' || !answer.body.startsWith(DECLARATION)) return answer;
      const written = /^<(wsdl:definitions|discovery) /.test(answer.body.slice(DECLARATION.length));
      const body = written
        ? answer.body.replaceAll('\n', '\r\n')
        : `${DECLARATION.slice(0, -1)}\r\n${answer.body.slice(DECLARATION.length)}`;
      return { ...answer, body };
    },
  },
  {
    what: 'JSON and pages name no charset; .NET Framework says `charset=utf-8`.',
    correct: (answer) => {
      const type = answer.headers['Content-Type'];
      if (type !== 'application/json' && type !== 'text/html') return answer;
      return {
        ...answer,
        headers: { ...answer.headers, 'Content-Type': `${type}; charset=utf-8` },
      };
    },
  },
  {
    what: 'JSON results leave `&` as it is; .NET Framework writes \\u0026.',
    correct: (answer) =>
      typeOf(answer) === 'application/json' && statusOf(answer) === 200
        ? { ...answer, body: answer.body.replaceAll('&', '\\u0026') }
        : answer,
  },
  {
    what: 'Faults raised while the call ran have the `Cache-Control` of success; .NET Framework clears it to `private`.',
    correct: (answer) =>
      statusOf(answer) === 500 && answer.headers['Cache-Control'] === 'private, max-age=0'
        ? { ...answer, headers: { ...answer.headers, 'Cache-Control': 'private' } }
        : answer,
  },
  {
    what: 'The operations of the recording showed a date with seven digits and its Kind; ours show what this service writes. .NET’s `DateTime.MinValue` is “not given”.',
    correct: (answer) => ({ ...answer, body: answer.body.replaceAll(SHOWN_DATE, showDate) }),
  },
];

const SHOWN_DATE = /(\\?")(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{7}) (?:Unspecified|Local|Utc)\\?"/g;

function showDate(_all: string, quote: string, seconds: string, fraction: string): string {
  if (`${seconds}.${fraction}` === '0001-01-01T00:00:00.0000000') return 'null';
  return `${quote}${showInstant(Date.parse(`${seconds}.${fraction.slice(0, 3)}Z`))}${quote}`;
}

/** A recorded answer as ASP.NET on Windows would have given it. */
export function asRecorded(answer: Answer): Answer {
  const corrected = TRAITS.reduce((before, trait) => trait.correct(before), answer);
  return corrected.next === undefined
    ? corrected
    : { ...corrected, next: asRecorded(corrected.next) };
}
