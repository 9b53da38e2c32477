import type { LexicalContext } from '../lexical/index.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { checkText } from '../lexical/text.ts';
import type { ElementPlan, SimplePlan } from './plan.ts';

/** A value of a request that is not what its type asks for. */
export class ValueError extends Error {
  /** Where it stands: `forecast.hours[3]`. */
  readonly path: string;
  /** What was wrong and what would be right. */
  readonly reason: string;
  /** What ASP.NET says in its place. */
  readonly aspnetReason: string | undefined;

  constructor(path: string, reason: string, aspnetReason?: string) {
    super(`${path}: ${reason}`);
    this.name = 'ValueError';
    this.path = path;
    this.reason = reason;
    this.aspnetReason = aspnetReason;
  }
}

/**
 * The value of a text. Empty, where that is no value, it is what is given when nothing is.
 * @throws {ValueError}
 */
export function readText(
  plan: SimplePlan,
  text: string,
  element: Pick<ElementPlan, 'maxLength' | 'singleLine' | 'absent'>,
  context: LexicalContext,
  path: () => string,
): unknown {
  if (!plan.emptyIsValue && text.trim() === '') return element.absent;
  try {
    const value = plan.parse(text, context);
    if (typeof value === 'string' && (!plan.isPlain || element.maxLength !== undefined)) checkText(value, element);
    return value;
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
    throw new ValueError(path(), error.reason, error.aspnetReason);
  }
}
