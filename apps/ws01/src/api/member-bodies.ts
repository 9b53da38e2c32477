import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import type { Members } from '../records/record.ts';
import { FieldError, type ReadContext, type Stored } from '../records/types.ts';
import { invalid } from './problem.ts';
import { nullable, type Schema, type Values } from './schema.ts';

/** Members of a record that a body gives: how they are documented and read. */
interface MembersOfBody<Row> {
  readonly schemas: Readonly<Record<string, Schema>>;
  /**
   * Returns the columns of the members that a body has; `null` clears what may be empty.
   * @throws {Ws01Error} `InvalidParameter`
   */
  readonly read: (body: Values, context: ReadContext) => Partial<Row>;
}

/** Makes the body of an edit, or of a new record, out of the record's own description. */
export function bodyOfMembers<Row>(
  members: Members<Row>,
  names: readonly string[],
): MembersOfBody<Row> {
  const chosen = names.map((name) => [name, members[name]!] as const);
  return {
    schemas: Object.fromEntries(
      chosen.map(([name, { type, about, absent }]) => {
        const { maxLength } = type.schema as { readonly maxLength?: number };
        const schema: Schema = {
          ...type.json,
          description: about,
          ...(maxLength === undefined ? {} : { maxLength }),
        };
        return [name, absent === null || absent === '' ? nullable(schema) : schema];
      }),
    ),
    read: (body, context) =>
      Object.fromEntries(
        chosen
          .filter(([name]) => body[name] !== undefined)
          .map(([name, { column, type, absent }]): [string, Stored] => {
            const value = body[name]!;
            if (value === null) return [column!, absent];
            // The API has read instants.
            if (type.json.format === 'date-time') return [column!, value as number];
            return [column!, named(name, () => type.read(value, context))];
          }),
      ) as Partial<Row>,
  };
}

/** Says which member an error is about. */
function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FieldError)
      throw invalid(name, say`${{ field: name }} ${{ reason: error.message }}.`);
    if (error instanceof Ws01Error) throw invalid(name, error.message.replace(/^It\b/, name));
    throw error;
  }
}
