import { randomBytes } from 'node:crypto';
import { html } from 'hono/html';
import type { Html } from './layout.ts';
import type { ConsoleDeps } from './visit.ts';

/** The field that says which sending of a form it is. */
export const ONCE = 'once';

/** How long a form that was sent is not done again; ms. */
const ONCE_MS = 60 * 60_000;

const WRITTEN = /^[\w-]{22}$/;

/** A hidden field by which {@link isFirst} knows a form. */
export function onceField(): Html {
  return html`<input type="hidden" name="${ONCE}" value="${randomBytes(16).toString('base64url')}">`;
}

/**
 * Whether a form is sent for the first time: not by a double click, a reload, or a second node at the same moment. A form
 * without the field always is.
 */
export async function isFirst(
  { store, clock }: Pick<ConsoleDeps, 'store' | 'clock'>,
  form: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const once = form[ONCE];
  if (typeof once !== 'string' || !WRITTEN.test(once)) return true;
  const row = { challenge: `form ${once}`, expires_at: clock() + ONCE_MS };
  const { numInsertedOrUpdatedRows } = await store.write((tx) =>
    tx
      .insertInto('admin_challenges')
      .values(row)
      .onConflict((conflict) => conflict.column('challenge').doNothing())
      .executeTakeFirstOrThrow(),
  );
  return numInsertedOrUpdatedRows === 1n;
}
