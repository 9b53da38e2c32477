import type { Context } from 'hono';
import { Ws01Error } from '../contract/errors.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/**
 * Returns the text of a field; `''` if it is absent.
 * @throws {Ws01Error} `InvalidParameter` for a NUL character, which PostgreSQL rejects.
 */
export async function formText(c: C, name: string): Promise<string> {
  const value = (await formOf(c))[name];
  return typeof value === 'string' ? withoutZero(name, value) : '';
}

/** Returns all texts of a field that may be repeated. */
export async function formTexts(c: C, name: string): Promise<string[]> {
  const value = (await c.req.parseBody({ all: true }))[name];
  return (Array.isArray(value) ? value : [value])
    .filter((text): text is string => typeof text === 'string')
    .map((text) => withoutZero(name, text));
}

function withoutZero(name: string, text: string): string {
  if (!text.includes('\0')) return text;
  throw new Ws01Error('InvalidParameter', `${name} must have no zero character.`, { parameter: name });
}

/** @throws {Ws01Error} `InvalidParameter` when the body is not a form. */
async function formOf(c: C): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody();
  } catch {
    throw new Ws01Error('InvalidParameter', 'The body is not a form.');
  }
}

/**
 * Returns the JSON object of a body.
 * @throws {Ws01Error} `InvalidParameter` when it is not an object.
 */
export async function jsonBody<T extends object>(c: C): Promise<T> {
  const value = await c.req.json().catch(() => undefined);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Ws01Error('InvalidParameter', 'The body is not a JSON object.');
}

/** Returns the path of a redirect if it is a path of the console, else the console's start page. */
export function consolePath(path: string | undefined): string {
  return path !== undefined && (path === HOME || path.startsWith(`${HOME}/`)) && !/[\\\r\n]/.test(path) ? path : HOME;
}
