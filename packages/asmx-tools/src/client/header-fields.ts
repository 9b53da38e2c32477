import { headerField, type Operation } from '@ws01/asmx/internal/contract/service';
import type { JsonArgumentWriter } from './json-values.ts';

/**
 * The SOAP headers of a call by JSON: fields of HTTP, each with one header as JSON.
 * @param given by their names in the contract.
 */
export function headerFields(
  { headers }: Operation,
  given: Readonly<Record<string, unknown>>,
  writer?: JsonArgumentWriter,
): Record<string, string> {
  const elements = headers?.in ?? [];
  const written = writer === undefined ? given : writer.members(elements, given);
  return Object.fromEntries(
    elements.flatMap(({ name, property = name }) => {
      const field = headerField(name);
      const value = written[property];
      return field === undefined || value === undefined
        ? []
        : [[field.toLowerCase(), asciiOf(value)]];
    }),
  );
}

/** JSON as HTTP takes it: in ASCII. */
const asciiOf = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
