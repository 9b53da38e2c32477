import type { Operation } from '@ws01/asmx/internal/contract/service';
import type { Element, Type } from '@ws01/asmx/internal/contract/types';
import type { JsonAnswerReader } from './json-values.ts';

/** What a call returns: the result; with out parameters `{ value, out }`. */
export function resultOf(operation: Operation, d: unknown, reader: JsonAnswerReader): unknown {
  const { name, result, out = [] } = operation;
  const isVoid = result === undefined || result === 'void';
  const isElement = typeof result === 'object' && 'name' in result;
  const given = isElement ? result : { name: `${name}Result`, type: result as Type };
  const element: Element | undefined = isVoid ? undefined : given;
  if (out.length === 0) return element === undefined ? undefined : reader.element(element, d);
  const members = (d ?? {}) as Readonly<Record<string, unknown>>;
  const of = (each: Element) => reader.element(each, members[each.property ?? each.name]);
  return {
    ...(element === undefined ? {} : { value: of(element) }),
    out: Object.fromEntries(out.map((each) => [each.property ?? each.name, of(each)])),
  };
}
