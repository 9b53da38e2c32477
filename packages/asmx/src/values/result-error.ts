import type { WriteName } from '../lexical/lexical-context.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import type { SimplePlan } from './plan.ts';

/** Largest depth of a written value, since a value may contain itself. */
export const MOST_LEVELS = 1_000;

/**
 * A handler returned a value that its result type forbids. This is a defect; the caller gets no
 * details.
 */
export class ResultError extends TypeError {
  /** The path, and what is wrong there. */
  readonly found: string;

  constructor(path: string | ResultPath, reason: string) {
    const found = `${path}: ${reason}`;
    super(`The handler returned what its contract forbids. ${found}`);
    this.name = 'ResultError';
    this.found = found;
  }
}

/**
 * The path, in a result, of the value that is being written. Its text is made only for an error.
 */
export class ResultPath {
  readonly #steps: (string | number)[] = [];

  /** @param step a member, or the place in a list. */
  enter(step: string | number): void {
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  toString(): string {
    let path = '';
    for (const step of this.#steps) {
      if (typeof step === 'number') path += `[${step}]`;
      else if (step !== '') path += path === '' ? step : `.${step}`;
    }
    return path;
  }
}

/** The text of a value. @throws {ResultError} */
export function formatted(
  plan: SimplePlan,
  value: unknown,
  path: string | ResultPath,
  name?: WriteName,
): string {
  try {
    return plan.format(value, name);
  } catch (error) {
    if (error instanceof LexicalError) throw new ResultError(path, error.reason);
    throw error;
  }
}
