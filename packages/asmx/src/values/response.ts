import type { MessagePlan } from './message-plan.ts';
import { ResultError } from './result-error.ts';

/** The result of a handler, by the properties of the answer. @throws {ResultError} */
export function responseValues(
  { result, out }: MessagePlan,
  returned: unknown,
): Record<string, unknown> {
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
  if (result !== undefined) values[result.property] = isRefused(value) ? false : value;
  return values;
}

function isRefused(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'result' in value &&
    value.result === false &&
    'code' in value
  );
}
