import { type Kysely, sql } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, Tables, WebhooksTable } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { recordEvent } from '../events/record.ts';
import { SKEW_MS } from '../shared/known-time.ts';
import { newKey } from '../values/keys.ts';
import { TEST } from './queue.ts';
import { isValid, newSecret, OVERLAP_MS, type WebhookSecret } from './signature.ts';

/** Longest URL, in code points, and largest number of types. */
const URL_MAX = 2_048;
const TYPES_MAX = 50;

const TYPE = /^(?:\*|[a-z][a-z-]{0,39}\.(?:\*|[a-z][a-z-]{0,39}))$/;

/** The properties of a new webhook. */
export interface NewWebhook {
  readonly url: string;
  readonly label: string;
  /** Event types such as `*`, `article.*` or `mail.bounced`; empty for all. */
  readonly types: readonly string[];
}

/**
 * Creates a webhook, which receives events from now on.
 * @returns its id, and its secret, which is shown only once.
 * @throws {Ws01Error} `InvalidParameter`
 */
export async function addWebhook(
  tx: Kysely<Tables>,
  { url, label, types }: NewWebhook,
  at: Instant,
  by: Actor | undefined,
): Promise<{ readonly id: string; readonly secret: string }> {
  assertUrl(url);
  const wanted = wantedTypes(types);
  const id = newKey();
  const secret = newSecret();
  const row: WebhooksTable = {
    ...{
      id,
      url,
      label,
      types: wanted,
      secrets: JSON.stringify([{ secret, until: null }]),
    },
    ...{ created_at: at, disabled_at: null, disabled_reason: null, retried_at: null },
  };
  await tx.insertInto('webhooks').values(row).execute();
  await auditAct(tx, 'webhook.add', id, at, by);
  return { id, secret };
}

/** Changes of a webhook; absent ones are left unchanged. */
export type WebhookEdit = {
  readonly [Property in keyof NewWebhook]?: NewWebhook[Property] | undefined;
};

/**
 * Changes a webhook; its secret stays, and what is on its way goes to the new URL.
 * @returns whether that changed anything; `undefined` if there is no such webhook.
 * @throws {Ws01Error} `InvalidParameter`
 */
export async function editWebhook(
  tx: Kysely<Tables>,
  id: string,
  { url, label, types }: WebhookEdit,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean | undefined> {
  const old = await webhookById.first(tx, { id });
  if (old === undefined) return undefined;
  if (url !== undefined) assertUrl(url);
  const changed = {
    url: url ?? old.url,
    label: label ?? old.label,
    types: types === undefined ? old.types : wantedTypes(types),
  };
  const [before, after] = [textOf(old), textOf(changed)];
  if (before === after) return false;
  await tx.updateTable('webhooks').set(changed).where('id', '=', id).execute();
  await auditAct(tx, 'webhook.edit', id, at, by, { before, after });
  return true;
}

/** What an edit may change, for the audit trail. */
const textOf = ({ url, types, label }: Pick<WebhooksTable, 'url' | 'types' | 'label'>) =>
  [url, (JSON.parse(types) as readonly string[]).join(' '), label].join('; ');

/** The types as they are stored; none are all. @throws {Ws01Error} `InvalidParameter` */
function wantedTypes(types: readonly string[]): string {
  const wanted = types.length === 0 ? ['*'] : types;
  const wrong = wanted.find((type) => !TYPE.test(type));
  if (wrong === undefined && wanted.length <= TYPES_MAX) return JSON.stringify(wanted);
  const message = say`types must be at most ${{ most: TYPES_MAX }} such as *, article.* or mail.bounced.`;
  throw new Ws01Error('InvalidParameter', message, { parameter: 'types' });
}

function assertUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `new URL` leaves out line ends and blanks that would be stored and shown.
  const isPlain = !/[\p{Cc}\s]/u.test(text) && [...text].length <= URL_MAX;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  if (isPlain && isWeb && [url.username, url.password, url.hash].every((part) => part === ''))
    return;
  const message = say`url must be an http or https URL of at most ${{ most: URL_MAX }} characters, without blanks, a user and a fragment.`;
  throw new Ws01Error('InvalidParameter', message, { parameter: 'url' });
}

/** Removes a webhook and its pending deliveries. @returns `undefined` if it does not exist. */
export async function removeWebhook(
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean | undefined> {
  const [result] = await tx.deleteFrom('webhooks').where('id', '=', id).execute();
  if (Number(result?.numDeletedRows ?? 0) === 0) return undefined;
  await tx
    .updateTable('outbox')
    .set({
      state: 'cancelled',
      due_at: null,
      finished_at: at,
      last_reply: 'The webhook was removed.',
    })
    .where('kind', '=', 'webhook')
    .where('state', 'in', ['queued', 'deferred'])
    .where('id', 'in', (eb) =>
      eb.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', id),
    )
    .execute();
  await auditAct(tx, 'webhook.remove', id, at, by);
  return true;
}

/** Disables a webhook; pending deliveries are cancelled when they are due. */
export async function disableWebhook(
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: Actor | undefined,
  reason?: string,
): Promise<boolean | undefined> {
  const present = await webhookById.first(tx, { id });
  if (present === undefined) return undefined;
  if (present.disabled_at !== null) return false;
  await setDisabled.run(tx, { id, disabled_at: at, disabled_reason: reason ?? null });
  await auditAct(tx, 'webhook.disable', id, at, by);
  return true;
}

/** Enables a webhook, from now on; {@link retryWebhook} sends what it missed. */
export async function enableWebhook(
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean | undefined> {
  const present = await webhookById.first(tx, { id });
  if (present === undefined) return undefined;
  if (present.disabled_at === null) return false;
  await setDisabled.run(tx, { id, disabled_at: null, disabled_reason: null });
  await auditAct(tx, 'webhook.enable', id, at, by);
  return true;
}

/**
 * Retries pending, failed and cancelled deliveries now, while their events are kept. One that is
 * being tried is tried once more if that fails ({@link wasRetried}).
 * @returns the number of deliveries; `undefined` if there is no such webhook.
 */
export async function retryWebhook(
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: Actor | undefined,
  giveUpAfter: number,
): Promise<number | undefined> {
  if ((await webhookById.first(tx, { id })) === undefined) return undefined;
  const { numAffectedRows } = await sql`
    update outbox set ${dueAgain(at, giveUpAfter)}, queue = ${id}
    where kind = 'webhook' and state in ('queued', 'deferred', 'sending', 'failed', 'bounced', 'cancelled')
      and id in (select id from webhook_deliveries where webhook_id = ${id})`.execute(tx);
  await tx.updateTable('webhooks').set({ retried_at: at }).where('id', '=', id).execute();
  await auditAct(tx, 'webhook.retry', id, at, by);
  return Number(numAffectedRows ?? 0);
}

/** Assignments that make a delivery due now; what is being tried stays with whom it has. */
const dueAgain = (at: Instant, giveUpAfter: number) =>
  sql`state = case when state = 'sending' then state else 'queued' end,
    due_at = case when state = 'sending' then due_at else ${at} end,
    give_up_at = ${at + giveUpAfter}, finished_at = null`;

/** Whether somebody has asked for a retry of a webhook since an instant. */
export async function wasRetried(
  tx: Kysely<Tables>,
  webhookId: string,
  since: Instant,
  now: Instant,
): Promise<boolean> {
  const { retried_at = null } = (await retryOf.first(tx, { id: webhookId })) ?? {};
  return isRetried(retried_at, since, now);
}

/** Whether a retry was asked for since an instant; what a clock wrote that was ahead is none. */
export const isRetried = (retriedAt: Instant | null, since: Instant, now: Instant): boolean =>
  retriedAt !== null && retriedAt >= since && retriedAt <= now + SKEW_MS;

const retryOf = prepare((db, { id }: { id: string }) =>
  db.selectFrom('webhooks').select('retried_at').where('id', '=', id),
);

/** Keeps others from changing or retrying a webhook until the transaction ends. */
export async function lockWebhook(tx: Kysely<Tables>, id: string): Promise<void> {
  await webhookById.first(tx, { id });
}

/**
 * Sends one event to its webhook again, at once; one that got there, too, and one that is being
 * tried when that fails.
 * @returns `undefined` if there is no such delivery.
 * @throws {Ws01Error} `NotFound` when the event or the webhook is gone, or the webhook is disabled.
 */
export async function resendDelivery(
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: Actor | undefined,
  giveUpAfter: number,
): Promise<boolean | undefined> {
  const known = await deliveryById.first(tx, { id });
  if (known === undefined) return undefined;
  if (known.type === null || known.receiver === null || known.disabled_at !== null) {
    const message =
      'The event or the webhook is gone, or the webhook is disabled; enable it first.';
    throw new Ws01Error('NotFound', message, { parameter: 'id' });
  }
  const { numAffectedRows } = await sql`update outbox set ${dueAgain(at, giveUpAfter)}
    where kind = 'webhook' and id = ${id}`.execute(tx);
  if (Number(numAffectedRows ?? 0) === 0) return false;
  await tx
    .updateTable('webhooks')
    .set({ retried_at: at })
    .where('id', '=', known.webhook_id)
    .execute();
  await auditAct(tx, 'webhook.resend', known.webhook_id, at, by, {
    delivery: id,
    type: known.type,
  });
  return true;
}

const deliveryById = prepare((db, { id }: { id: string }) =>
  db
    .selectFrom('webhook_deliveries')
    .leftJoin('events', 'events.id', 'webhook_deliveries.event_id')
    .leftJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
    .select(['webhook_id', 'events.type', 'webhooks.id as receiver', 'webhooks.disabled_at'])
    .where('webhook_deliveries.id', '=', id),
);

/**
 * Sends a test event, regardless of the webhook's types, and at once, also where earlier events did
 * not arrive.
 * @returns whether the webhook exists.
 */
export async function testWebhook(tx: Kysely<Tables>, id: string, at: Instant): Promise<boolean> {
  if ((await webhookById.first(tx, { id })) === undefined) return false;
  await tx.updateTable('webhooks').set({ retried_at: at }).where('id', '=', id).execute();
  await recordEvent(tx, { at, type: TEST, kind: 'webhook', key: id });
  return true;
}

/**
 * Rotates the secret; the old one also signs for {@link OVERLAP_MS}.
 * @returns the new secret, which is shown only once; `undefined` if there is no such webhook.
 */
export async function rotateSecret(
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: Actor | undefined,
): Promise<string | undefined> {
  const present = await webhookById.first(tx, { id });
  if (present === undefined) return undefined;
  const earlier = (JSON.parse(present.secrets) as readonly WebhookSecret[])
    .filter((secret) => isValid(secret, at))
    .map(({ secret, until }) => ({ secret, until: until ?? at + OVERLAP_MS }));
  const secret = newSecret();
  const secrets = JSON.stringify([{ secret, until: null }, ...earlier]);
  await tx.updateTable('webhooks').set({ secrets }).where('id', '=', id).execute();
  await auditAct(tx, 'webhook.rotate', id, at, by);
  return secret;
}

/** Locked: a secret that another call makes meanwhile would be lost. */
const webhookById = prepare((db, { id }: { id: string }) =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).$call(lockRows(db)),
);

const setDisabled = prepare(
  (db, row: Pick<WebhooksTable, 'id' | 'disabled_at' | 'disabled_reason'>) =>
    db
      .updateTable('webhooks')
      .set({ disabled_at: row.disabled_at, disabled_reason: row.disabled_reason })
      .where('id', '=', row.id),
);
