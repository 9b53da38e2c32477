import type { Refusal } from '../contract/values.ts';
import type { MessagePlan } from './message-plan.ts';
import { ResultError } from './result-error.ts';

/** The result of a handler, by the properties of the answer. @throws {ResultError} */
export function responseValues(message: MessagePlan, returned: unknown): Record<string, unknown> {
  const { result, out } = message;
  const values: Record<string, unknown> = {};
  let value = returned;
  if (out.length > 0) {
    const parts = (typeof returned === 'object' && returned !== null ? returned : {}) as {
      value?: unknown;
      out?: unknown;
    };
    if (typeof parts.out !== 'object' || parts.out === null) {
      throw new ResultError(
        'out',
        'an operation with out parameters returns { value, out: { … } }.',
      );
    }
    for (const { property } of out)
      values[property] = (parts.out as Record<string, unknown>)[property];
    value = parts.value;
  }
  // A refusal is the answer false, whose reason is in the headers.
  if (result !== undefined) values[result.property] = isRefusal(message, value) ? false : value;
  return values;
}

/**
 * Whether the result of a boolean operation is "no" with its reason, and no object that looks like
 * one.
 */
export function isRefusal({ result }: MessagePlan, value: unknown): value is Refusal {
  if (result?.plan.kind !== 'simple' || result.plan.json !== 'boolean') return false;
  if (typeof value !== 'object' || value === null) return false;
  return 'result' in value && value.result === false && 'code' in value;
}
