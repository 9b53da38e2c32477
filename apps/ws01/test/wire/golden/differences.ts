import type { Answer } from './answer.ts';
import { DESCRIPTION_DIFFERENCES } from './differences/descriptions.ts';
import { FORM_DIFFERENCES } from './differences/forms.ts';
import { HTTP_DIFFERENCES } from './differences/http.ts';
import { JSON_DIFFERENCES } from './differences/json.ts';
import { SOAP_DIFFERENCES } from './differences/soap.ts';
import { VALUE_DIFFERENCES } from './differences/values.ts';
import type { RecordedRequest } from './request.ts';

/** A recorded request with ASP.NET's answer and this service's. */
interface Pair {
  readonly name: string;
  readonly request: RecordedRequest;
  readonly recorded: Answer;
  readonly ours: Answer;
}

/** A way in which this service answers otherwise than ASP.NET, on purpose: one row of `docs/compatibility.md`. */
export interface Difference {
  readonly id: string;
  readonly situation: string;
  readonly asmx: string;
  readonly ours: string;
  readonly why: string;
  /** Whether the difference between two answers is this one: looks at both sides, not at names. */
  readonly covers: (pair: Pair) => boolean;
}

/** A part of the table. */
export interface Section {
  readonly title: string;
  readonly differences: readonly Difference[];
}

export const SECTIONS: readonly Section[] = [
  { title: 'HTTP and paths', differences: HTTP_DIFFERENCES },
  { title: 'Descriptions', differences: DESCRIPTION_DIFFERENCES },
  { title: 'SOAP', differences: SOAP_DIFFERENCES },
  { title: 'GET and POST', differences: FORM_DIFFERENCES },
  { title: 'JSON', differences: JSON_DIFFERENCES },
  { title: 'Values, in every binding', differences: VALUE_DIFFERENCES },
];

/** Every difference; of those that cover an exchange, the first counts. */
export const DIFFERENCES: readonly Difference[] = SECTIONS.flatMap(
  ({ differences }) => differences,
);
