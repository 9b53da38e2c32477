import { randomBytes } from 'node:crypto';
import { HOUR_MS } from '@ws01/asmx/time';
import { html } from 'hono/html';
import type { Html } from './layout.ts';
import type { ConsoleDeps } from './visit.ts';

/** The field that says which sending of a form it is. */
export const ONCE = 'once';

/** How long a form that was sent is not done again; ms. */
const ONCE_MS = HOUR_MS;

const WRITTEN = /^[\w-]{22}$/;

/** A hidden field by which {@link doOnce} knows a form. */
export function onceField(): Html {
  return html`<input type="hidden" name="${ONCE}" value="${randomBytes(16).toString('base64url')}">`;
}

/** What became of a form. */
export interface Ended {
  /** Whether it did anything; else it may be sent again, as after an error. */
  readonly isDone: boolean;
  readonly answer: () => Response | Promise<Response>;
}

/**
 * Does what a form asks, once: a double click, a reload, or a second node at the same moment may send the form again.
 * A refused form may be mended and sent again, because it did nothing. A form without the field is always done.
 * @returns `undefined` if it was done before, or is being done.
 * @throws what the work throws.
 */
export async function doOnce(
  deps: Pick<ConsoleDeps, 'store' | 'clock'>,
  form: Readonly<Record<string, unknown>>,
  work: () => Promise<Ended>,
): Promise<Response | undefined> {
  const once = form[ONCE];
  if (typeof once !== 'string' || !WRITTEN.test(once)) return (await work()).answer();
  const challenge = `form ${once}`;
  if (!(await isFirst(deps, challenge))) return undefined;
  const forget = () =>
    deps.store.write((tx) =>
      tx.deleteFrom('admin_challenges').where('challenge', '=', challenge).execute(),
    );
  let ended: Ended;
  try {
    ended = await work();
  } catch (error) {
    await forget().catch(() => {});
    throw error;
  }
  if (!ended.isDone) await forget();
  return ended.answer();
}

async function isFirst(
  { store, clock }: Pick<ConsoleDeps, 'store' | 'clock'>,
  challenge: string,
): Promise<boolean> {
  const row = { challenge, expires_at: clock() + ONCE_MS };
  const { numInsertedOrUpdatedRows } = await store.write((tx) =>
    tx
      .insertInto('admin_challenges')
      .values(row)
      .onConflict((conflict) => conflict.column('challenge').doNothing())
      .executeTakeFirstOrThrow(),
  );
  return numInsertedOrUpdatedRows === 1n;
}
