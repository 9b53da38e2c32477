import { errorOf, faultOf, statusOf } from '../answer.ts';
import type { Difference } from '../differences.ts';

const CONVERSION =
  /Input string was not in a correct format|is not a valid (?:Boolean|AllXsd) value|^Cannot convert /;

export const VALUE_DIFFERENCES: readonly Difference[] = [
  {
    id: 'nil',
    situation: '`xsi:nil="true"`',
    asmx: 'an empty string; for int, boolean and dateTime an error; content is read all the same',
    ours: 'not given',
    why: 'It is what nil says.',
    covers: ({ request, ours }) =>
      /:nil\s*=\s*["']\s*(?:true|1)/.test(request.body) && statusOf(ours) === 200,
  },
  {
    id: 'forbidden-characters',
    situation: 'A character that XML forbids, such as U+0000, over GET, POST and JSON',
    asmx: 'taken; where it comes back, written as a reference that strict parsers refuse',
    ours: '400 with the parameter’s name',
    why: 'It could never be read back over SOAP.',
    covers: ({ recorded, ours }) =>
      statusOf(recorded) === 200 &&
      statusOf(ours) === 400 &&
      (errorOf(ours)?.message ?? '').includes(', which XML forbids'),
  },
  {
    id: 'wider-values',
    situation:
      'An empty int, boolean or dateTime; a form that ASP.NET takes in another binding only, or .NET not at all: `yes`, `2/9/2024`, `+0800`',
    asmx: 'an error',
    ours: 'empty is not given; the forms of all bindings are taken in each',
    why: 'One grammar for every client.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 200 && statusOf(recorded) === 500 && CONVERSION.test(recorded.body),
  },
  {
    id: 'date-not-given',
    situation: '1900-01-01 and other dates that old systems write for none',
    asmx: 'that date',
    ours: 'not given',
    why: '.NET proxies and databases cannot leave a date out.',
    covers: ({ recorded, ours }) =>
      /"(?:0001-01-01|1900-01-01|1899-12-30|1753-01-01)T[^"]*"/.test(recorded.body) &&
      /"\w+":null/.test(ours.body),
  },
  {
    id: 'date-fractions',
    situation: 'A date with a fraction finer than milliseconds',
    asmx: 'kept to 100 ns, rounded',
    ours: 'kept to milliseconds, cut off',
    why: 'An instant is a number of milliseconds; cutting off never makes it the next day.',
    covers: ({ request, recorded, ours }) =>
      /\d\.\d{4,}/.test(request.body + request.target) &&
      statusOf(recorded) === 200 &&
      statusOf(ours) === 200,
  },
  {
    id: 'not-base64',
    situation: 'A file over SOAP that is not base64',
    asmx: '400 with an empty body; a single character left over is dropped',
    ours: '500 with a Client or Sender fault that names the parameter and the character',
    why: 'A file that was cut off must not be stored as if it were whole.',
    covers: ({ recorded, ours }) =>
      [200, 400].includes(statusOf(recorded)) &&
      statusOf(ours) === 500 &&
      (errorOf(ours)?.message ?? '').includes(': it is not base64. '),
  },
  {
    id: 'two-wrong-values',
    situation: 'Two values of the wrong form in one SOAP call',
    asmx: 'the fault is about the first in the document',
    ours: 'about the first in the order of the contract',
    why: 'The same in every binding.',
    covers: ({ recorded, ours }) => {
      const reasonOf = (answer: typeof ours) => faultOf(answer)?.reason.replace(/\(\d+, \d+\)/, '');
      return (
        statusOf(ours) === 500 &&
        reasonOf(recorded) !== undefined &&
        reasonOf(recorded) === reasonOf(ours)
      );
    },
  },
];
