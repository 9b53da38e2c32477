import { setTimeout as sleep } from 'node:timers/promises';
import { time } from '@ws01/asmx/time';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { TEST } from '../domain/webhooks/queue.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import type { Content } from './layout.ts';
import { segmentOf } from './paths.ts';
import { problem, success } from './sign-in-pages.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** How long a page waits for the answer to a test; the page of the webhook shows a later one by itself; ms. */
export const TEST_WAIT_MS = 5_000;

/** How often it looks whether there is one; ms. */
const EVERY_MS = 100;

/** Deliveries among which that of a test is looked for, the newest first. */
const LOOKED_AT = 10;

/** Statuses of a delivery that nothing has come of yet. */
const ON_ITS_WAY: ReadonlySet<unknown> = new Set(['queued', 'sending']);

/**
 * To be called before a test is sent to a webhook.
 * @returns what waits until the receiver has answered, at most {@link TEST_WAIT_MS}, and tells it.
 */
export async function watchTest(
  c: C,
  api: ApiClient,
  webhook: string,
): Promise<() => Promise<Content>> {
  const tests = async (): Promise<readonly Item[]> => {
    const query = `webhookId=${encodeURIComponent(webhook)}&limit=${LOOKED_AT}`;
    const { items } = await api.get<ItemPage>(`/deliveries?${query}`);
    return items.filter(({ type }) => type === TEST);
  };
  const earlier = new Set((await tests()).map(({ id }) => id));
  const end = time.steady() + TEST_WAIT_MS;
  return async () => {
    for (;;) {
      const mine = (await tests()).find(({ id }) => !earlier.has(id));
      if (mine !== undefined && !ON_ITS_WAY.has(mine.status))
        return answered(c, await api.get(`/deliveries/${segmentOf(String(mine.id))}`));
      if (time.steady() >= end)
        return html`<p class="notice" role="status" tabindex="-1" autofocus>${c.get('visit').translate('webhook.waits')}</p>`;
      await sleep(EVERY_MS);
    }
  };
}

/** The status, the time and the beginning of an answer. */
function answered(c: C, { status, tries, lastReply }: Item): Content {
  const { translate } = c.get('visit');
  const [tried] = Object.values((tries ?? {}) as Readonly<Record<string, string>>);
  const reply = tried ?? String(lastReply ?? '');
  return status === 'sent'
    ? success(translate('webhook.took', { reply }))
    : problem(translate(status === 'deferred' ? 'webhook.tookNot' : 'webhook.gone', { reply }));
}
