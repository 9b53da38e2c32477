import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, LinksTable, Tables } from '../../store/tables/tables.ts';
import { isUniqueViolation } from '../../store/unique-violation.ts';
import { type CacheUse, ShortMemory } from '../../turns/memory.ts';
import { type Actor, auditAct, doneByCall, recordAudit } from '../audit/audit.ts';
import type { CallContext, Clock } from '../context.ts';
import {
  clearDisabled,
  insertLink,
  linkByCode,
  linkByRequest,
  requestOfLink,
  setDisabled,
  updateLink,
} from './rows.ts';
import { newShortCode } from './short-code.ts';

/** How long a link is cached; ms. A take-down on another node takes effect within this. */
export const REMEMBERED_MS = 4_000;

/**
 * Size of the cache, about 32 MB: the UTF-16 code units of targets, plus {@link LINK_CHARS} for
 * each link.
 */
const REMEMBERED_CHARS = 16 * 1024 * 1024;
const LINK_CHARS = 300;

/**
 * Attempts to find a free code. One in thousands hits a code in use; this many in a row never do.
 */
const DRAWS = 10;

/** The columns of a short link that a redirect needs. */
export type Link = Pick<LinksTable, 'code' | 'target' | 'deadline' | 'created_at' | 'disabled_at'>;

/** A request for a short link. */
export interface LinkRequest {
  /** The URL of the redirect. */
  readonly target: string;
  readonly userId: string | undefined;
  readonly userEmail: string | undefined;
  /** The link works while now is before it; `undefined` for always. */
  readonly deadline: Instant | undefined;
}

interface LinkDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Returns a random code, which may be in use. */
  readonly newCode?: () => string;
}

/** Whether a link works at an instant: neither disabled nor past its deadline. */
export function isLive({ deadline, disabled_at }: Link, now: Instant): boolean {
  return disabled_at === null && (deadline === null || now < deadline);
}

/** Creates, finds and disables short links. */
export class Links {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #newCode: () => string;
  readonly #remembered: ShortMemory<Link>;

  constructor({ store, clock, newCode = newShortCode }: LinkDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#newCode = newCode;
    this.#remembered = new ShortMemory({
      ageMs: REMEMBERED_MS,
      clock,
      most: REMEMBERED_CHARS,
      sizeOf: ({ target }) => target.length + LINK_CHARS,
    });
  }

  get cacheUse(): CacheUse {
    return this.#remembered.use;
  }

  /**
   * Creates a link, or finds the live one of an equal request (user, target and deadline). Unique
   * constraints decide which of two racing calls creates it, and ensure that no code is used twice.
   * @throws {Ws01Error} `Busy` when no free code was found.
   */
  shorten(
    request: LinkRequest,
    context: CallContext,
  ): Promise<{ readonly code: string; readonly isNew: boolean }> {
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
          const target = { kind: 'link', key: code };
          await recordAudit(tx, { at: now, ...doneByCall(context), action: 'link.create', target });
          return { code, isNew: true };
        }
        const present = await linkByRequest.first(tx, { request_hash: row.request_hash });
        if (present !== undefined) return { code: present.code, isNew: false };
      }
      throw new Ws01Error('Busy', 'No free code was found; try again.');
    };
    return this.#store.write(make, { records: [] });
  }

  /** The code of the live link of an earlier equal request; `undefined` when there is none. */
  async findByRequest(request: LinkRequest): Promise<string | undefined> {
    const row = { request_hash: hashRequest(request) };
    return (await this.#store.read((db) => linkByRequest.first(db, row)))?.code;
  }

  /**
   * Finds a link by its code, live or not; see {@link isLive}. The cached state may be up to
   * {@link REMEMBERED_MS} old, but a take-down by this node is always seen.
   */
  async find(code: string): Promise<Link | undefined> {
    return this.#remembered.find(code, () =>
      this.#store.read((db) => linkByCode.first(db, { code })),
    );
  }

  /**
   * Disables a link until it is enabled again; its code is never reused. This takes effect on this
   * node immediately, on the others within five seconds.
   * @returns `false` when there is no such link. A disabled link stays unchanged.
   */
  async disable(code: string): Promise<boolean> {
    const found = await this.#store.write((tx) => disableLink(tx, code, this.#clock(), undefined));
    this.forget(code);
    return found !== undefined;
  }

  /** Removes a link from the cache. Call it after a change by other means than {@link disable}. */
  forget(code: string): void {
    this.#remembered.forget(code);
  }
}

/**
 * Disables a link. After the commit, call {@link Links.forget} wherever it may be cached.
 * @param by who did it; `undefined` for an operator on the machine itself.
 * @returns whether it was enabled; `undefined` when there is no such link.
 */
export async function disableLink(
  tx: Kysely<Tables>,
  code: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean | undefined> {
  if ((await setDisabled.run(tx, { code, disabled_at: at })) === 1) {
    await auditAct(tx, 'link.disable', code, at, by);
    return true;
  }
  return (await linkByCode.first(tx, { code })) === undefined ? undefined : false;
}

/**
 * Enables a disabled link.
 * @returns whether it was disabled; `undefined` when there is no such link.
 * @throws {Ws01Error} `AlreadyExists` when an equal request has got another link since.
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
  await assertOnly(tx, link);
  await onlyOne(clearDisabled.run(tx, { code }));
  await auditAct(tx, 'link.enable', code, at, by);
  return true;
}

/**
 * Gives a link another target or end; its code stays, and so does what was printed with it. The
 * caller has checked the target. After the commit, call {@link Links.forget} wherever it may be
 * cached.
 * @returns whether that changed anything; `undefined` when there is no such link.
 * @throws {Ws01Error} `AlreadyExists` when another link leads there for the same user and deadline.
 */
export async function editLink(
  tx: Kysely<Tables>,
  code: string,
  edit: Partial<Pick<LinksTable, 'target' | 'deadline'>>,
  at: Instant,
  by: Actor,
): Promise<boolean | undefined> {
  const before = await requestOfLink.first(tx, { code });
  if (before === undefined) return undefined;
  const { target, deadline } = { ...before, ...edit };
  if (target === before.target && deadline === before.deadline) return false;
  const userId = before.user_id ?? undefined;
  const request_hash = hashRequest({ target, userId, deadline: deadline ?? undefined });
  if (before.disabled_at === null) await assertOnly(tx, { request_hash });
  await onlyOne(updateLink.run(tx, { code, target, deadline, request_hash }));
  await auditAct(tx, 'link.edit', code, at, by, {
    ...(target !== before.target && { from: before.target, to: target }),
    ...(deadline !== before.deadline && { deadline: before.deadline }),
  });
  return true;
}

/** @throws {Ws01Error} `AlreadyExists` when a link that is not disabled has the request. */
async function assertOnly(
  tx: Kysely<Tables>,
  request: Pick<LinksTable, 'request_hash'>,
): Promise<void> {
  const other = await linkByRequest.first(tx, request);
  if (other === undefined) return;
  throw new Ws01Error(
    'AlreadyExists',
    say`The link ${{ code: other.code }} leads there for the same user and deadline; use it.`,
  );
}

/**
 * Waits for a change of a link.
 * @throws {Ws01Error} `AlreadyExists` when a racing call gave another one its request.
 */
async function onlyOne(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'Another link leads there for the same user and deadline; use it.';
    throw new Ws01Error('AlreadyExists', message);
  }
}

/** Two requests have the same hash exactly when they have the same user, target and deadline. */
export function hashRequest({
  userId,
  target,
  deadline,
}: Omit<LinkRequest, 'userEmail'>): Uint8Array {
  return hash('sha256', JSON.stringify([userId ?? null, target, deadline ?? null]), 'buffer');
}
