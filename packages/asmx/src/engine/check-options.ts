import { DEFAULT_LIMITS, type Limits } from '../contract/limits.ts';
import { checkNamespace } from '../contract/namespace.ts';
import { nearest } from '../contract/nearest.ts';
import type { PageLanguages } from '../describe/page-language.ts';
import type { EndpointOptions } from './endpoint-options.ts';

/** What each option must be; `undefined` is always allowed where it is optional. */
const KINDS: {
  readonly [Name in keyof Required<EndpointOptions<unknown, unknown>>]:
    | 'function'
    | 'text'
    | 'list'
    | 'truth'
    | 'object'
    | 'any';
} = {
  handlers: 'any',
  path: 'text',
  aliases: 'list',
  namespace: 'text',
  authorize: 'function',
  credential: 'function',
  interceptors: 'list',
  errors: 'object',
  bindings: 'list',
  baseUrl: 'function',
  documents: 'object',
  pageLinks: 'object',
  siteName: 'function',
  pageLanguages: 'object',
  understands: 'list',
  challenge: 'text',
  addressing: 'truth',
  strict: 'truth',
  limits: 'object',
  timeZone: 'text',
  now: 'function',
  legacyCharset: 'text',
  createBinarySink: 'function',
  clientAddress: 'function',
  translateError: 'function',
  fastPath: 'object',
  requestId: 'function',
  onAnswered: 'function',
};

const IS = {
  function: (value: unknown) => typeof value === 'function',
  text: (value: unknown) => typeof value === 'string',
  list: (value: unknown) => Array.isArray(value),
  truth: (value: unknown) => typeof value === 'boolean',
  object: (value: unknown) => typeof value === 'object' && value !== null,
  any: () => true,
} as const;
const MUST_BE = {
  function: 'a function',
  text: 'a text',
  list: 'a list',
  truth: 'true or false',
  object: 'an object',
  any: '',
} as const;

/**
 * Checks what JavaScript does not: a misspelt `authorise` would let everybody in.
 * @throws {TypeError} with the path of the member and what would be right.
 */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(
      "options: there must be an object with a path and handlers, like { path: '/Old.asmx', handlers }.",
    );
  }
  for (const [name, value] of Object.entries(options)) {
    const kind = (KINDS as Readonly<Record<string, keyof typeof IS | undefined>>)[name];
    if (kind === undefined || !Object.hasOwn(KINDS, name)) {
      throw new TypeError(
        `options.${name}: there is no such option.${nearest(name, Object.keys(KINDS))}`,
      );
    }
    if (value !== undefined && !IS[kind](value))
      throw new TypeError(`options.${name}: it must be ${MUST_BE[kind]}.`);
  }
  const given = options as Partial<EndpointOptions<unknown, unknown>>;
  if (given.path === undefined)
    throw new TypeError("options.path: it must be there, like '/Old.asmx'.");
  checkPaths([given.path, ...(given.aliases ?? [])]);
  for (const [index, each] of (given.interceptors ?? []).entries())
    if (typeof each !== 'function')
      throw new TypeError(`options.interceptors.${index}: it must be a function.`);
  for (const [index, each] of (given.understands ?? []).entries())
    if (typeof each?.header !== 'object')
      throw new TypeError(
        `options.understands.${index}: it must be a header, like that of usernameToken({ … }).`,
      );
  for (const [text, link] of Object.entries(given.pageLinks ?? {}))
    if (typeof link !== 'string' || !/^(?:\/(?!\/)|https?:\/\/)/.test(link))
      throw new TypeError(
        `options.pageLinks.${text}: it must be a URL, or a path of this server like '/status'.`,
      );
  checkLanguages(given.pageLanguages ?? {});
  checkNamespace(given.namespace, 'options.namespace');
  if (given.bindings?.length === 0)
    throw new TypeError("options.bindings: without any nobody can call; name some, like ['json'].");
  checkTimeZone(given.timeZone);
  checkLimits(given.limits);
  checkErrors(given.errors ?? {});
}

function checkLanguages(languages: PageLanguages): void {
  for (const [tag, language] of Object.entries(languages)) {
    const path = `options.pageLanguages.${tag}`;
    if (!/^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(tag))
      throw new TypeError(`${path}: it must be the tag of a language, like zh-CN.`);
    if (typeof language?.name !== 'string' || typeof language.texts !== 'object')
      throw new TypeError(`${path}: it must be like { name: '中文', texts: { Samples: '示例' } }.`);
  }
}

function checkPaths(paths: readonly string[]): void {
  const known = new Set<string>();
  for (const path of paths) {
    const plain = String(path).toLowerCase();
    if (known.has(plain))
      throw new TypeError(
        `options.aliases: ${JSON.stringify(path)} is a path of the service twice.`,
      );
    known.add(plain);
    if (/\/\.{1,2}(\/|$)/.test(path))
      throw new TypeError(
        `options.path: no request comes to ${JSON.stringify(path)}; write it without . and .. parts.`,
      );
  }
}

function checkTimeZone(timeZone: string | undefined): void {
  if (timeZone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new TypeError(
      `options.timeZone: there is no time zone ${JSON.stringify(timeZone)}; write one like 'Europe/Berlin'.`,
    );
  }
}

function checkLimits(limits: Limits | undefined): void {
  if (limits === undefined) return;
  for (const name of Object.keys(DEFAULT_LIMITS)) {
    if (typeof (limits as unknown as Partial<Record<string, unknown>>)[name] !== 'number')
      throw new TypeError(`options.limits: ${name} is missing; write limits: defineLimits({ … }).`);
  }
}

function checkErrors(errors: NonNullable<EndpointOptions<unknown, unknown>['errors']>): void {
  for (const [code, kind] of Object.entries(errors)) {
    if (kind === undefined) continue;
    const { status, side } = kind ?? {};
    if (!Number.isInteger(status) || status < 400 || status > 599)
      throw new TypeError(
        `options.errors.${code}.status: an error is answered with 400 to 599, not ${status}.`,
      );
    if (side !== 'client' && side !== 'server')
      throw new TypeError(`options.errors.${code}.side: it must be 'client' or 'server'.`);
  }
}
