import { setTimeout as sleep } from 'node:timers/promises';
import { time } from '@ws01/asmx/time';
import type { Context } from 'hono';
import type { Item } from '../api/kind.ts';
import { TEST } from '../domain/webhooks/queue.ts';
import type { Language } from '../web/language.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import type { Content } from './layout.ts';
import { segmentOf } from './paths.ts';
import { withSettings } from './setting-links.ts';
import { nothingDone, problem, success } from './sign-in-pages.ts';
import { reasonInChinese } from './texts/zh-reasons.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** How long a page waits for what comes of a deed; the page of the record shows a later end by itself; ms. */
export const WAIT_MS = 5_000;

/** How often it looks whether it has come; ms. */
const EVERY_MS = 100;

/**
 * To be called before a deed is done to a record.
 * @returns what waits until it has ended, at most {@link WAIT_MS}, and tells how.
 */
type Watch = (c: C, api: ApiClient, key: string) => Promise<() => Promise<Content>>;

/** The deeds that change no record, whose end one waits for, by kind and verb. */
export const WATCHED: Readonly<Record<string, Watch>> = {
  'webhooks.test': watchTest,
  'backups.verify': watchCheck,
};

/** Looks until something is there, at most for {@link WAIT_MS}. */
async function soon<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = time.steady() + WAIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined || time.steady() >= end) return found;
    await sleep(EVERY_MS);
  }
}

/** Deliveries among which that of a test is looked for, the newest first. */
const LOOKED_AT = 10;

/** Statuses of a delivery that nothing has come of yet. */
const ON_ITS_WAY: ReadonlySet<unknown> = new Set(['queued', 'sending']);

async function watchTest(c: C, api: ApiClient, webhook: string) {
  const tests = async (): Promise<readonly Item[]> => {
    const query = `webhookId=${encodeURIComponent(webhook)}&limit=${LOOKED_AT}`;
    const { items } = await api.get<ItemPage>(`/deliveries?${query}`);
    return items.filter(({ type }) => type === TEST);
  };
  const earlier = new Set((await tests()).map(({ id }) => id));
  return async () => {
    const mine = await soon(async () => {
      const found = (await tests()).find(({ id }) => !earlier.has(id));
      return found === undefined || ON_ITS_WAY.has(found.status) ? undefined : found;
    });
    return mine === undefined
      ? nothingDone(c.get('visit').translate('webhook.waits'))
      : answered(c, await api.get(`/deliveries/${segmentOf(String(mine.id))}`));
  };
}

/** The status, the time and the beginning of an answer. */
function answered(c: C, { status, tries, lastReply, answerStatus }: Item): Content {
  const { translate, language } = c.get('visit');
  const [tried] = Object.values((tries ?? {}) as Readonly<Record<string, string>>);
  const said = tried ?? String(lastReply ?? '');
  const reply = asSentence(language, (language === 'zh' && reasonInChinese(said)) || said);
  if (status === 'sent') return success(translate('webhook.took', { reply }));
  const isAnswered = typeof answerStatus === 'number';
  const again = isAnswered ? 'webhook.tookNot' : 'webhook.notReached';
  return problem(
    withSettings(c, translate(status === 'deferred' ? again : 'webhook.gone', { reply })),
  );
}

/** A text that other sentences follow. */
function asSentence(language: Language, text: string): string {
  if (/[.!?。！？]$/.test(text)) return text;
  return `${text}${language === 'zh' ? '。' : '.'}`;
}

async function watchCheck(c: C, api: ApiClient, backup: string) {
  const { translate } = c.get('visit');
  return async () => {
    const checked = await soon(async () => {
      const item = await api.get(`/backups/${segmentOf(backup)}`);
      return item.check === 'running' ? undefined : item;
    });
    if (checked === undefined) return success(translate('backup.begun'));
    const said = CHECKED[String(checked.check)] ?? 'backup.unchecked';
    return checked.check === 'sound' ? success(translate(said)) : problem(translate(said));
  };
}

/** What a check found, in words. */
const CHECKED: Readonly<Record<string, 'backup.found' | 'backup.damaged' | 'backup.missing'>> = {
  sound: 'backup.found',
  damaged: 'backup.damaged',
  missing: 'backup.missing',
};
