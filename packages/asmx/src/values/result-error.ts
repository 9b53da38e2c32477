import { LexicalError } from '../lexical/lexical-error.ts';
import type { SimplePlan } from './plan.ts';

/** A handler returned what its result type forbids: a defect, of which the caller learns nothing but that. */
export class ResultError extends TypeError {
  constructor(path: string, reason: string) {
    super(`The handler returned what its contract forbids. ${path}: ${reason}`);
    this.name = 'ResultError';
  }
}

/** The scalar type that a value has by itself. */
export function typeOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'long';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 'int' : 'double';
    default:
      return value instanceof Date ? 'dateTime' : value instanceof Uint8Array ? 'base64Binary' : undefined;
  }
}

/** The text of a value. @throws {ResultError} */
export function formatted(plan: SimplePlan, value: unknown, path: string): string {
  try {
    return plan.format(value);
  } catch (error) {
    if (error instanceof LexicalError) throw new ResultError(path, error.reason);
    throw error;
  }
}
