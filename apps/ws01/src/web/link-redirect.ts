import { isbot } from 'isbot';
import type { Clock } from '../domain/context.ts';
import type { Link, Links } from '../domain/links/links.ts';
import type { VisitSource } from '../domain/links/visit-sources.ts';
import type { VisitKind, Visits } from '../domain/links/visits.ts';
import { remembering } from '../turns/memory.ts';
import type { ReceivedRequest } from './received-request.ts';

/** What a redirect needs. */
export interface RedirectDeps {
  readonly clock: Clock;
  readonly links: Pick<Links, 'find'>;
  readonly visits: Pick<Visits, 'count'>;
  /** Returns the source of a visit, as far as it is counted. */
  readonly sourcesOf: (request: ReceivedRequest) => readonly VisitSource[];
}

/**
 * The answer depends on the time and on moderation, and each visit is counted. A search engine that
 * keeps a 302 under its own address would list this host with the pages of others; the target
 * itself may still be indexed.
 */
const HEADERS = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };

/**
 * Counts a visit of a live link.
 * @param query of the request, with its question mark; `''` for none. What the target has no
 *   parameter of is added to it.
 * @returns the headers of the redirect to its target, by lower-case name, without Content-Length.
 */
export function redirectTo(
  { code, target }: Link,
  request: ReceivedRequest & { readonly method: string },
  query: string,
  { visits, sourcesOf }: RedirectDeps,
): Readonly<Record<string, string>> {
  visits.count(code, visitKind(request), sourcesOf(request));
  return { location: withAdded(target, query), ...HEADERS };
}

/**
 * Adds a visitor's parameters to a target, before its fragment, so that campaigns (`utm_source`)
 * arrive. Those that the target has itself stay as they are, under any name that a server may take
 * for the same one.
 */
function withAdded(target: string, query: string): string {
  const pairs = query.slice(1).split('&');
  if (query.length < 2) return target;
  const [page = '', ...fragment] = target.split('#');
  const [path = '', ...own] = page.split('?');
  const names = new Set(namesOf(own.join('?')));
  const added = pairs.filter(
    (pair) => pair !== '' && !namesOf(pair).some((name) => names.has(name)),
  );
  if (added.length === 0) return target;
  const all = [...own.filter((text) => text !== ''), ...added.map(escaped)];
  return [`${path}?${all.join('&')}`, ...fragment].join('#');
}

/**
 * The names of parameters as the laxest server reads them: ASP.NET in any case, PHP without what
 * stands before or in brackets and with an underscore for a point, older ones with a semicolon
 * between two.
 */
function namesOf(query: string): string[] {
  const pairs = new URLSearchParams(query.replaceAll(';', '&'));
  return [...pairs.keys()].map((name) => {
    const plain = name.split('\0', 1)[0]!.trim();
    const bracket = plain.indexOf('[', 1);
    const outside = bracket < 0 ? plain : plain.slice(0, bracket);
    return outside.replaceAll(/[. []/g, '_').toLowerCase();
  });
}

/** Bytes that no URL has; Node gives each as a character. */
const UNUSUAL = /[^!$-;=?-Z_a-z~]/g;

function escaped(pair: string): string {
  return pair.replace(
    UNUSUAL,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/**
 * Headers by which browsers say what they load a page for: Fetch, Chromium before it, Safari,
 * Firefox before it.
 */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Purposes of loading a page that nobody has opened. */
const AHEAD = /prefetch|prerender|preview/i;

/**
 * Classifies a visit as from a person, or not: a robot, a page loaded ahead, a client without a
 * user agent.
 */
function visitKind({ method, headers }: ReceivedRequest & { readonly method: string }): VisitKind {
  if (method === 'HEAD') return 'heads';
  const isAhead = PURPOSES.some((name) => AHEAD.test(String(headers[name] ?? '')));
  return isAhead || isRobot(headers['user-agent'] ?? '') ? 'bots' : 'visits';
}

/** Office looks a link up itself before it hands it to the browser; isbot takes it for a person. */
const OFFICE = /^Microsoft (?:Office|Word|Excel|PowerPoint|OneNote|Outlook)\b|\bms-?office\b/i;

/** Maximum length of a user agent that is examined; characters. */
const USER_AGENT_CHARS = 512;

/**
 * Whether a user agent is a machine's; remembered, as this costs more than the rest of a redirect.
 */
const isRobotAgent = remembering(
  2_000,
  (agent) => agent === '' || OFFICE.test(agent) || isbot(agent),
);

function isRobot(userAgent: string): boolean {
  return isRobotAgent(userAgent.slice(0, USER_AGENT_CHARS));
}
