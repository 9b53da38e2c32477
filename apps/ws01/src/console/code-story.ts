import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { CODE_LIFETIME_MS, codeOutcome, MAX_ATTEMPTS } from '../domain/values/code-outcome.ts';
import { maskPhone } from '../domain/values/phone.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import type { Extra } from './details.ts';
import { type Content, type Html, toTheSecond } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { replyPart } from './replies.ts';
import { withSettings } from './setting-links.ts';
import { tag } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Steps of a story at most. */
const STEPS = 50;

/** A text message is queued with its code; ms. */
const TOGETHER_MS = 2_000;

/** A step of a code. */
interface Step {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  readonly step: string;
  readonly attempt: unknown;
  readonly address: unknown;
}

/** What became of a code that was asked for. */
interface Code {
  readonly asked: Step;
  /** Answers, each with whether it was right, the oldest first. */
  readonly entered: readonly { readonly step: Step; readonly isRight: boolean }[];
  readonly text: Item | undefined;
  /** When a newer code took its place. */
  readonly replacedAt: number | undefined;
}

/** The codes for the same number and person, the newest first: what happened to each, with how it came out. */
export function codeStory(deps: ConsoleDeps): Extra {
  return async (c, api, item) => {
    const { translate } = c.get('visit');
    const [steps, texts] = await Promise.all([stepsOf(api, item), textsOf(api, item)]);
    const codes = codesOf(steps, texts ?? []);
    if (codes.length === 0) return '';
    const told = codes.map((code) => codePart(c, deps, code, texts !== undefined));
    return html`<section aria-labelledby="timeline"><h2 id="timeline">${translate('detail.timeline')}</h2>${told}</section>`;
  };
}

/** The steps of the codes for the number and user of one of them, the oldest first. */
async function stepsOf(api: ApiClient, { id, userId, phone }: Item): Promise<readonly Step[]> {
  const items =
    userId === null
      ? await entriesOf(api, String(id))
      : (await api.get<ItemPage>(`/codes?userId=${queried(userId)}&limit=${STEPS}`)).items;
  return items
    .filter((one) => one.phone === phone)
    .map(({ id: key, at, step, attempt, address }) => ({
      ...{ id: String(key), at: Date.parse(String(at)), step: String(step), attempt, address },
    }))
    .toReversed();
}

const queried = (value: unknown) => encodeURIComponent(String(value));

/** The words of steps, by their actions in the audit trail. */
const WORDS: ReadonlyMap<unknown, string> = new Map([
  ['code.create', 'created'],
  ['code.attempt', 'attempted'],
  ['code.verify', 'verified'],
]);

/** The steps of a code that belongs to nobody yet: its entries in the audit trail have one key. */
async function entriesOf(api: ApiClient, id: string): Promise<readonly Item[]> {
  const { targetKey } = await api.get(`/audit/${segmentOf(id)}`);
  const { items } = await api.get<ItemPage>(
    `/audit?targetKey=${queried(targetKey)}&limit=${STEPS}`,
  );
  return items.map((one) => ({ ...one, ...(one.details as Item), step: WORDS.get(one.action) }));
}

/** The text messages to the number; `undefined` for who may not see them. */
async function textsOf(api: ApiClient, { id, userId, phone }: Item) {
  if (userId === null) {
    const entry = await orUndefined(api.get(`/audit/${segmentOf(String(id))}`));
    const text = await orUndefined(api.get(`/sms/${segmentOf(String(entry?.targetKey))}`));
    return text === undefined ? [] : [text];
  }
  const path = `/sms?userId=${queried(userId)}&limit=${STEPS}`;
  const page = await orUndefined(api.get<ItemPage>(path));
  return page?.items.filter((text) => maskPhone(String(text.phone)) === phone);
}

/** Puts together what belongs to each code, the newest first. */
function codesOf(steps: readonly Step[], texts: readonly Item[]): readonly Code[] {
  const starts = steps.flatMap(({ step }, at) => (step === 'created' ? [at] : []));
  return starts
    .map((start, number): Code => {
      const asked = steps[start]!;
      const later = steps.slice(start + 1, starts[number + 1]);
      const entered = later.flatMap((step, at) =>
        step.step === 'attempted' ? [{ step, isRight: later[at + 1]?.step === 'verified' }] : [],
      );
      const isOfIt = ({ createdAt }: Item) =>
        Math.abs(Date.parse(String(createdAt)) - asked.at) < TOGETHER_MS;
      const next = starts[number + 1];
      const replacedAt = next === undefined ? undefined : steps[next]!.at;
      return { asked, entered, text: texts.find(isOfIt), replacedAt };
    })
    .toReversed();
}

function codePart(c: C, deps: ConsoleDeps, code: Code, seesTexts: boolean): Html {
  const { translate } = c.get('visit');
  const { asked, entered } = code;
  const when = (at: number) => toTheSecond(new Date(at).toISOString());
  const from =
    typeof asked.address === 'string'
      ? html`<a href="${HOME}/search?q=${queried(asked.address)}">${asked.address}</a>`
      : '';
  const tries = entered.map(({ step, isRight }) => {
    const values = { attempt: String(step.attempt ?? ''), most: MAX_ATTEMPTS };
    return html`<li>${tag(translate, isRight ? 'verified' : 'wrong')} ${when(step.at)} ${translate(isRight ? 'code.right' : 'code.wrong', values)}</li>`;
  });
  const text = seesTexts ? html`<li>${textPart(c, deps, code.text)}</li>` : '';
  const end = endOf(code, deps.clock());
  const endPart = end === undefined ? '' : html`<li>${when(end.at)} ${translate(end.text)}</li>`;
  return html`<ol class="steps"><li>${when(asked.at)} ${translate('code.asked')} ${from}</li>
${text}${tries}${endPart}</ol>`;
}

/** What became of the text message with a code. */
function textPart(c: C, { gateways }: ConsoleDeps, text: Item | undefined): Content {
  const { translate } = c.get('visit');
  if (text === undefined)
    return withSettings(c, translate(gateways.sms ? 'detail.noTexts' : 'code.noGateway'));
  const { id, status, lastReply } = text;
  const reply = typeof lastReply === 'string' ? replyPart(c, lastReply) : '';
  return html`<a href="${HOME}/sms/${segmentOf(String(id))}">${translate('kind.sms')}</a>
${tag(translate, String(status))} ${reply}`;
}

/** How a code ended that was not entered right, or until when it can still be. */
function endOf({ asked, entered, replacedAt }: Code, now: number) {
  const isVerified = entered.some(({ isRight }) => isRight);
  const story = { askedAt: asked.at, attempts: entered.length, isVerified, replacedAt };
  const outcome = codeOutcome(story, now);
  if (outcome === 'verified') return undefined;
  const changedAt = outcome === 'locked' ? entered.at(-1)?.step.at : undefined;
  const endedAt = outcome === 'replaced' ? replacedAt : changedAt;
  return { at: endedAt ?? asked.at + CODE_LIFETIME_MS, text: `code.${outcome}` } as const;
}
