import { hash } from 'node:crypto';
import type { Context } from 'hono';
import type { FieldSchema } from './catalog.ts';
import { dayOfInstant, instantOfDay } from './days.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** The texts of a form by their names. */
export type SentForm = Readonly<Record<string, unknown>>;

/**
 * Stands for a text that a form was opened with: what is changed is known by it, however long the text is. Browsers
 * send the ends of lines in a form of their own.
 */
export const markOf = (text: string): string =>
  hash('sha256', text.replaceAll(/\r\n?/g, '\n'), 'base64url').slice(0, 22);

/** Whether a type, or one of several, is the wanted one. */
export const isOf = ({ type }: FieldSchema, wanted: string): boolean =>
  Array.isArray(type) ? type.includes(wanted) : type === wanted;

export const isBoolean = (schema: FieldSchema) => isOf(schema, 'boolean');

/**
 * Returns the value for the API of a field's text that is not empty, as {@link textOf} shows it; a text that is no
 * number stays one, for the API to refuse.
 */
export function valueOfText(
  timeZone: string,
  name: string,
  schema: FieldSchema,
  text: string,
): string | number | boolean {
  if (isBoolean(schema)) return text === 'true';
  if (isOf(schema, 'integer') && /^-?\d+$/.test(text)) return Number(text);
  return instantOfDay(timeZone, name, schema, text.replaceAll('\r\n', '\n'));
}

/** The texts of a list, as a form has them: one or several fields, each with one or several of them. */
export const textsIn = (value: unknown): string[] =>
  [value ?? []]
    .flat()
    .flatMap((text) => String(text).split(/[\s,]+/))
    .filter((text) => text !== '');

/** Texts of people, longer than an address. */
export const isLong = ({ maxLength = 0 }: FieldSchema) => maxLength > 2_048;

/** The text of a value in a field; of an instant its day, where the reader is. */
export function textOf(c: C, name: string, schema: FieldSchema, value: unknown): string {
  if (isBoolean(schema)) return String(value === true || value === 'true');
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  if (schema.format === 'date-time') return dayOfInstant(c.get('visit').timeZone, name, text);
  // As browsers send it.
  return text.replaceAll(/\r\n?/g, '\n');
}
