import type { LexicalContext } from '../lexical/index.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { SCALARS } from '../lexical/scalars.ts';
import { checkText } from '../lexical/texts.ts';
import { valueOfType } from './any-value.ts';
import type { SimplePlan, TextPlan } from './plan.ts';

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

/**
 * What to check of a text: only `bounds`, if its source lets through only characters that XML
 * allows.
 */
export type TextCheck = 'characters' | 'bounds';

/** @param of the element or attribute that has the text. */
export function textPlanOf(
  plan: SimplePlan,
  of: Partial<Pick<TextPlan, 'absent' | 'maxLength' | 'singleLine' | 'isContent' | '$type'>>,
): TextPlan {
  const { absent, maxLength, singleLine = false, isContent = false, $type } = of;
  const { parse, emptyIsValue, isPlain, hasNames, bytes, reference, json } = plan;
  return {
    parse,
    absent,
    emptyIsValue,
    maxLength,
    singleLine,
    isPlain,
    isVerbatim:
      parse === SCALARS.string.parse &&
      maxLength === undefined &&
      !singleLine &&
      $type === undefined,
    hasNames,
    isReference: bytes === 'beside',
    isPlaced: !reference || json === 'number',
    isContent,
    $type,
    namespaceOf: undefined,
  };
}

/**
 * Reads the value of a text. An empty text that is no value of the type counts as absent.
 * @throws {LexicalError}
 */
export function readText(
  of: TextPlan,
  text: string,
  context: LexicalContext,
  check: TextCheck = 'characters',
): unknown {
  if (of.isVerbatim && check === 'bounds') return text;
  const { maxLength, singleLine, $type } = of;
  const value = of.emptyIsValue || !isBlank(text) ? of.parse(text, context) : of.absent;
  if (typeof value === 'string') {
    const isBounded = maxLength !== undefined || singleLine;
    // A value that is not its text may be made of anything: a char is a number there.
    const isChecked = of.isPlain || (check === 'bounds' && value === text);
    if (isBounded || !isChecked) checkText(value, { maxLength, singleLine });
  }
  return $type === undefined ? value : valueOfType($type, value);
}

/** Of nearly all texts the first character tells it. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(first > 0x20 && first < 0x7f) && text.trim() === '';
}

/**
 * What was wrong with a text, as the error of the value at a path; any other error as it is.
 * @param place as there.
 */
export function atPath(error: unknown, path: string, place?: string): unknown {
  if (!(error instanceof LexicalError)) return error;
  return new ValueError(path, error.reason, error.aspnetReason, place);
}
