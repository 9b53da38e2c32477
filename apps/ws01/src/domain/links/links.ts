import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, LinksTable, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import type { CallContext, Clock } from '../context.ts';
import { CacheUse } from '../shared/cache-use.ts';
import {
  clearDisabled,
  insertLink,
  linkByCode,
  linkByRequest,
  linksBefore,
  requestOfLink,
  setDisabled,
} from './rows.ts';
import { newShortCode } from './short-code.ts';

/** How long a link is remembered without asking the database; ms. A take-down on another node takes effect by then. */
export const REMEMBERED_MS = 4_000;

/** Bounds what is remembered, about 32 MB: UTF-16 code units of targets, and what a link takes besides, as many. */
const REMEMBERED_CHARS = 16 * 1024 * 1024;
const LINK_CHARS = 300;

/** A code that is taken is drawn once in thousands of times; so often in a row never. */
const DRAWS = 10;

/** A short link as those who follow it need it. */
export type Link = Pick<LinksTable, 'code' | 'target' | 'deadline' | 'created_at' | 'disabled_at'>;

/** What is asked for with a new link. */
export interface LinkRequest {
  /** As it is redirected to. */
  readonly target: string;
  readonly userId: string | undefined;
  readonly userEmail: string | undefined;
  /** The link works while now is before it; `undefined` for always. */
  readonly deadline: Instant | undefined;
}

/** A link in a list, with how often it was followed. */
export type ListedLink = Awaited<ReturnType<Links['list']>>[number];

interface LinkDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Draws a code; may return one that is taken. */
  readonly newCode?: () => string;
}

/** Whether a link works at an instant: neither disabled nor past its deadline. */
export function isLive({ deadline, disabled_at }: Link, now: Instant): boolean {
  return disabled_at === null && (deadline === null || now < deadline);
}

/** The short links: made, found, taken down. */
export class Links {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #newCode: () => string;
  readonly #remembered = new LRUCache<string, { readonly link: Link; readonly readAt: Instant }>({
    // By size alone, so that it grows with its content: `max` would take memory and time for all of it at start.
    maxSize: REMEMBERED_CHARS,
    sizeCalculation: ({ link }) => link.target.length + LINK_CHARS,
  });
  readonly cacheUse = new CacheUse();
  /** Counts changes of links, so that what was read before one is not remembered after it. */
  #takeDowns = 0;

  constructor({ store, clock, newCode = newShortCode }: LinkDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#newCode = newCode;
  }

  /**
   * Makes a link, or finds the live one that the same user, target and deadline were given. Constraints settle which of
   * two racing calls makes it, and that no code is given twice.
   */
  shorten(request: LinkRequest, context: CallContext): Promise<{ readonly code: string; readonly isNew: boolean }> {
    const { target, userId, userEmail, deadline } = request;
    const now = this.#clock();
    const row = {
      target,
      user_id: userId ?? null,
      user_email: userEmail ?? null,
      deadline: deadline ?? null,
      request_hash: hashRequest(request),
      created_at: now,
    };
    const make = async (tx: Kysely<Tables>) => {
      for (let draw = 0; draw < DRAWS; draw++) {
        const code = this.#newCode();
        if ((await insertLink.run(tx, { ...row, code })) === 1) {
          await auditLink(tx, 'create', code, now, { tokenId: context.caller.tokenId, address: context.address });
          return { code, isNew: true };
        }
        const present = await linkByRequest.first(tx, { request_hash: row.request_hash });
        if (present !== undefined) return { code: present.code, isNew: false };
      }
      throw new Ws01Error('Busy', 'No free code was found; try again.');
    };
    return this.#store.write(make, { records: [] });
  }

  /** The code of the live link that a request was answered with before; `undefined` when there is none. */
  async findByRequest(request: LinkRequest): Promise<string | undefined> {
    const row = { request_hash: hashRequest(request) };
    return (await this.#store.read((db) => linkByRequest.first(db, row)))?.code;
  }

  /**
   * Finds a link by its code, live or not. It may be as it was {@link REMEMBERED_MS} ago, but never as it was before a
   * take-down by this node; whether its deadline has passed is for {@link isLive} to say.
   */
  async find(code: string): Promise<Link | undefined> {
    const now = this.#clock();
    const kept = this.#remembered.get(code);
    if (kept !== undefined && kept.readAt <= now && now < kept.readAt + REMEMBERED_MS) {
      this.cacheUse.hits++;
      return kept.link;
    }
    this.cacheUse.misses++;
    const takeDowns = this.#takeDowns;
    const link = await this.#store.read((db) => linkByCode.first(db, { code }));
    if (link !== undefined && takeDowns === this.#takeDowns) this.#remembered.set(code, { link, readAt: now });
    return link;
  }

  /**
   * Takes a link down until it is enabled again; its code is not given to another. On this node it ends immediately, on the others within
   * five seconds.
   * @returns `false` when there is no such link. One that is down already stays as it is.
   */
  async disable(code: string): Promise<boolean> {
    const found = await this.#store.write((tx) => disableLink(tx, code, this.#clock(), undefined));
    this.forget(code);
    return found !== undefined;
  }

  /** To be called when a link was taken down, or let work again, by another way than {@link disable}. */
  forget(code: string): void {
    this.#takeDowns++;
    this.#remembered.delete(code);
  }

  /**
   * Lists links, the newest first, with how often people followed them.
   * @param before the last link of the page before; `undefined` for the first page.
   */
  list(most: number, before?: Pick<Link, 'created_at' | 'code'>) {
    const { created_at, code } = before ?? { created_at: Number.MAX_SAFE_INTEGER, code: '' };
    return this.#store.read((db) => linksBefore.all(db, { created_at, code, most }));
  }
}

/**
 * Takes a link down; whoever remembers it is to be told after the commit.
 * @param by who did it; `undefined` for an operator on the machine itself.
 * @returns whether it worked until now; `undefined` when there is no such link.
 */
export async function disableLink(
  tx: Kysely<Tables>,
  code: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean | undefined> {
  if ((await setDisabled.run(tx, { code, disabled_at: at })) === 1) {
    await auditLink(tx, 'disable', code, at, doneBy(by));
    return true;
  }
  return (await linkByCode.first(tx, { code })) === undefined ? undefined : false;
}

/**
 * Lets a link that was taken down work again.
 * @returns whether it was down; `undefined` when there is no such link.
 * @throws {Ws01Error} `AlreadyExists` when its request was answered with another link meanwhile.
 */
export async function enableLink(
  tx: Kysely<Tables>,
  code: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean | undefined> {
  const link = await requestOfLink.first(tx, { code });
  if (link === undefined) return undefined;
  if (link.disabled_at === null) return false;
  const other = await linkByRequest.first(tx, link);
  if (other !== undefined) {
    throw new Ws01Error('AlreadyExists', `The link ${other.code} leads there for the same user and deadline; use it.`);
  }
  clearDisabled.send(tx, { code });
  await auditLink(tx, 'enable', code, at, doneBy(by));
  return true;
}

/** Two requests have the same hash exactly when they have the same user, target and deadline. */
export function hashRequest({ userId, target, deadline }: Omit<LinkRequest, 'userEmail'>): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([userId ?? null, target, deadline ?? null]))
    .digest();
}

async function auditLink(
  tx: Kysely<Tables>,
  verb: 'create' | 'disable' | 'enable',
  code: string,
  at: Instant,
  who: ReturnType<typeof doneBy>,
): Promise<void> {
  await recordAudit(tx, {
    at,
    ...who,
    action: `link.${verb}`,
    target: { kind: 'link', key: code },
  });
}
