import type { LexicalContext } from '../lexical/index.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { SCALARS } from '../lexical/scalars.ts';
import { checkText } from '../lexical/texts.ts';
import type { ElementPlan, SimplePlan } from './plan.ts';

/** A value of a request that does not match its type. */
export class ValueError extends Error {
  /** Its path: `forecast.hours[3]`. */
  readonly path: string;
  /** The problem and the remedy. */
  readonly reason: string;
  /** ASP.NET's message. */
  readonly aspnetReason: string | undefined;
  /** Where in the message, as ASP.NET's faults have it: ` (1, 300)`; `''` where nobody knows. */
  readonly place: string;

  constructor(path: string, reason: string, aspnetReason?: string, place = '') {
    super(`${path}: ${reason}`);
    this.name = 'ValueError';
    this.path = path;
    this.reason = reason;
    this.aspnetReason = aspnetReason;
    this.place = place;
  }
}

/** The properties of the element that contains a text. */
export type TextPlace = Pick<ElementPlan, 'absent'> &
  Partial<Pick<ElementPlan, 'maxLength' | 'singleLine' | '$type'>>;

/** What to check of a text: only `bounds`, if its source lets through only characters that XML allows. */
export type TextCheck = 'characters' | 'bounds';

/** Whether any text of what XML allows is its own value. */
export function isVerbatim(
  { parse }: SimplePlan,
  { maxLength, singleLine = false }: Partial<TextPlace>,
): boolean {
  return parse === SCALARS.string.parse && maxLength === undefined && !singleLine;
}

/** Reads the value of a text. An empty text that is no value of the type counts as absent. @throws {ValueError} */
export function readText(
  plan: SimplePlan,
  text: string,
  { absent, maxLength, singleLine = false }: TextPlace,
  context: LexicalContext,
  path: () => string,
  check: TextCheck = 'characters',
): unknown {
  if (!plan.emptyIsValue && text.trim() === '') return absent;
  try {
    const value = plan.parse(text, context);
    if (typeof value === 'string') {
      const isBounded = maxLength !== undefined || singleLine;
      // A value that is not its text may be made of anything: a char is a number there.
      const isChecked = plan.isPlain || (check === 'bounds' && value === text);
      if (isBounded || !isChecked) checkText(value, { maxLength, singleLine });
    }
    return value;
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
    throw new ValueError(path(), error.reason, error.aspnetReason);
  }
}
