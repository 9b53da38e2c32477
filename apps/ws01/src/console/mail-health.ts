import { MINUTE_MS } from '@ws01/asmx/time';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { mayActAs } from '../contract/roles.ts';
import { hidden } from './act-form.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import { icon } from './icons.ts';
import { ago, type Content } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { readOn } from './read-on.ts';
import { replyPart } from './replies.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** A queued mail goes out at once; one that waits for longer does not; ms. */
const AT_ONCE_MS = 2 * MINUTE_MS;

/** Mails of one preview. */
const OFFERED = 100;

/** Whether somebody may change the mail server, and have mails sent. */
const mayMend = (c: C) => mayActAs(c.get('admin').role, 'owner');

interface QueueState {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
  readonly oldestAt: string | null;
}

/**
 * Says which mails do not go out although there is a mail server, since when and why, and offers those from before it;
 * `undefined` where all is well, or the reader cannot mend it.
 */
export async function mailHealth(c: C, api: ApiClient, now: number): Promise<Content | undefined> {
  if (!c.get('visit').sendsMail || !mayMend(c)) return undefined;
  const [stuck, kept] = await Promise.all([stuckMails(c, api, now), keptMails(c, api)]);
  return stuck === '' && kept === '' ? undefined : html`${stuck}${kept}`;
}

async function stuckMails(c: C, api: ApiClient, now: number): Promise<Content> {
  const { translate } = c.get('visit');
  const { items } = await api.get<{ readonly items: readonly QueueState[] }>('/queues');
  const waits = items.filter(
    ({ kind, state, oldestAt }) =>
      kind === 'mail' &&
      (state === 'deferred' ||
        (state === 'queued' && oldestAt !== null && Date.parse(oldestAt) < now - AT_ONCE_MS)),
  );
  const count = waits.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return '';
  const since = waits.map(({ oldestAt }) => oldestAt ?? '').toSorted()[0]!;
  const { items: deferred } = await api.get<ItemPage>('/mails?status=deferred&limit=1');
  const reply = deferred[0]?.lastReply;
  const state = deferred.length > 0 ? 'deferred' : 'queued';
  return html`<p class="notice"><a href="${HOME}/mails?status=${state}">${translate('mail.stuck', { count })}</a>
${ago(since)} ${typeof reply === 'string' ? replyPart(c, reply) : ''}
<a href="${HOME}/settings/SMTP_URL">${translate('kind.mail-server')}</a></p>`;
}

/** The mails from before there was a mail server, to be sent or left after a preview. */
async function keptMails(c: C, api: ApiClient): Promise<Content> {
  const { translate, path } = c.get('visit');
  const query = new URLSearchParams({ status: 'kept' });
  const page = await orUndefined(readOn(api, '/mails', query, OFFERED));
  const items: readonly Item[] = page?.items ?? [];
  if (items.length === 0) return '';
  const number = page?.next === null ? String(items.length) : `${items.length}+`;
  const keys = items.map(({ id }) => hidden('key', String(id)));
  return html`<form method="post" action="${HOME}/mails/act" class="notice">
<p><a href="${HOME}/mails?status=kept">${translate('mail.kept', { count: items.length, number })}</a></p>
${keys}${hidden('back', path)}<div class="tools">
<button name="verb" value="retry" class="primary">${icon('verb', 'retry')}${translate('mail.sendKept', { count: items.length })}</button>
<button name="verb" value="cancel">${translate('mail.leaveKept', { count: items.length })}</button></div></form>`;
}
