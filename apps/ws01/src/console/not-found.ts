import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ErrorCode } from '../contract/errors.ts';
import { mayActAs } from '../contract/roles.ts';
import { apiFor, type ItemPage } from './api-client.ts';
import type { KindsByName } from './catalog.ts';
import { wayToAll, wayToSearch } from './empty.ts';
import type { Content } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/**
 * Where one may go on from a page that is not there, or was refused: the overview, and the list of its kind. Of what is
 * not there also what happened to its key, if anything did, and a search for it.
 */
export async function waysOn(
  deps: ConsoleDeps,
  c: C,
  kinds: KindsByName,
  code: ErrorCode,
): Promise<Content> {
  const [name = '', key = ''] = c.req.path
    .slice(HOME.length + 1)
    .split('/')
    .map(decoded);
  const isRead = c.req.method === 'GET';
  const isMissing = isRead && code === 'NotFound';
  const kind = kinds.get(name);
  const { role } = c.get('admin');
  const isSeen = isRead && kind !== undefined && mayActAs(role, kind.role);
  const words = kind === undefined ? name : key;
  const ways = [
    isSeen ? wayToAll(c, kind) : '',
    isSeen && isMissing && key !== '' ? await wayToHistory(deps, c, kinds, key) : '',
    isMissing && words !== '' && (isSeen || kind === undefined) ? wayToSearch(c, words) : '',
    html`<a href="${HOME}">${c.get('visit').translate('refused.back')}</a>`,
  ];
  return html`<ul>${ways.map((way) => (way === '' ? '' : html`<li>${way}</li>`))}</ul>`;
}

/** Leads to the entries of the audit trail about a key, if the reader may see any. */
async function wayToHistory(
  deps: ConsoleDeps,
  c: C,
  kinds: KindsByName,
  key: string,
): Promise<Content> {
  if (!('targetKey' in (kinds.get('audit')?.filters ?? {}))) return '';
  const query = `targetKey=${encodeURIComponent(key)}`;
  const page = await orUndefined(apiFor(deps, c).get<ItemPage>(`/audit?${query}&limit=1`));
  if (page === undefined || page.items.length === 0) return '';
  const text = c.get('visit').translate('list.history', { words: key.slice(0, 60).toWellFormed() });
  return html`<a href="${HOME}/audit?${query}">${text}</a>`;
}

/** A part of a path; empty where it is none, as of `%E0`. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
