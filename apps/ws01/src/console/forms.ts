import type { Context } from 'hono';
import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
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
  throw new Ws01Error('InvalidParameter', say`${{ field: name }} must have no zero character.`, {
    parameter: name,
  });
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

/** Stands for the origin of the console, which a path is resolved against. */
const ORIGIN = 'http://console';

/**
 * Returns the path of a redirect, as browsers resolve it, if it is a path of the console, else the console's start
 * page: `/console/../abc` would be a short link, which leads anywhere.
 */
export function consolePath(path: string | undefined): string {
  const url = path === undefined ? null : URL.parse(path, ORIGIN);
  const isOurs =
    url?.origin === ORIGIN && (url.pathname === HOME || url.pathname.startsWith(`${HOME}/`));
  return isOurs ? url.pathname + url.search : HOME;
}
