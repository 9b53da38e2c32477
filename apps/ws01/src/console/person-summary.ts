import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { nameIn } from '../api/names-route.ts';
import { mayActAs } from '../contract/roles.ts';
import { parseAddress } from '../domain/values/email-address.ts';
import { digitsOf, endsWithOne, phoneEnds } from '../domain/values/phone-search.ts';
import type { ApiClient } from './api-client.ts';
import { LAYOUTS } from './kinds.ts';
import type { Content } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { readOn } from './read-on.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Counting stops here; more is shown as "99+". */
const COUNTED = 99;

/** What was found with an address or a number: people, and text messages to it. */
interface Found {
  readonly users: readonly Item[];
  readonly texts: readonly Item[];
}

/**
 * What a supporter asks who looks for an address or a number: whose it is, how many messages went to it, how many
 * failed, and whether any still goes there; empty for other words, and for who may not see messages.
 */
export async function personSummary(
  c: C,
  api: ApiClient,
  words: string,
  { users, texts }: Found,
): Promise<Content> {
  if (!mayActAs(c.get('admin').role, 'owner')) return '';
  const address = parseAddress(words);
  if (address.kind === 'address') return mailsTo(c, api, address.address, users);
  const ends = phoneEnds(words);
  const isIt = (number: unknown) =>
    digitsOf(String(number ?? '')).some((digits) => endsWithOne(digits, ends));
  const numbers = new Set(
    [...texts.map(({ phone }) => phone), ...users.map(({ cellPhone }) => cellPhone)].filter(isIt),
  );
  // Of last digits that several numbers have, none is meant.
  const [number, ...others] = numbers;
  return number === undefined || others.length > 0 ? '' : textsTo(c, api, String(number), users);
}

async function mailsTo(c: C, api: ApiClient, to: string, users: readonly Item[]): Promise<Content> {
  const { translate } = c.get('visit');
  const path = `/suppressions/${segmentOf(to.toLowerCase())}`;
  const [counts, suppressed] = await Promise.all([
    countsOf(api, 'mails', { receiverEmail: to }),
    orUndefined(api.get(path)),
  ]);
  const owners = users.filter(({ email }) => String(email).toLowerCase() === to.toLowerCase());
  if (counts.all.count === 0 && owners.length === 0 && suppressed === undefined) return '';
  const state =
    suppressed === undefined
      ? translate('person.notSuppressed')
      : html`<a href="${HOME}${path}">${translate('person.suppressed')}</a>`;
  return summary(c, {
    to,
    owners,
    counts,
    list: `mails?receiverEmail=${encodeURIComponent(to)}`,
    state,
  });
}

async function textsTo(c: C, api: ApiClient, to: string, users: readonly Item[]): Promise<Content> {
  const counts = await countsOf(api, 'sms', { phone: to });
  return summary(c, {
    ...{ to, owners: users, counts, state: '' },
    list: `sms?phone=${encodeURIComponent(to)}`,
  });
}

/** How many messages were counted, and whether there may be more. */
interface Counted {
  readonly count: number;
  readonly isMore: boolean;
}

interface Counts {
  readonly all: Counted;
  readonly failed: Counted;
}

/** Counts the messages to somebody, and those of them that failed. */
async function countsOf(
  api: ApiClient,
  kind: 'mails' | 'sms',
  to: Readonly<Record<string, string>>,
): Promise<Counts> {
  const count = async (more: Readonly<Record<string, string>>): Promise<Counted> => {
    const query = new URLSearchParams({ ...to, ...more });
    const { items, next } = await readOn(api, `/${kind}`, query, COUNTED);
    return { count: items.length, isMore: next !== null };
  };
  const [all, failed, bounced] = await Promise.all([
    count({}),
    count({ status: 'failed' }),
    count({ status: 'bounced' }),
  ]);
  const both = failed.count + bounced.count;
  const isMore = failed.isMore || bounced.isMore || both > COUNTED;
  return { all, failed: { count: Math.min(COUNTED, both), isMore } };
}

function summary(
  c: C,
  told: {
    readonly to: string;
    readonly owners: readonly Item[];
    readonly counts: Counts;
    readonly list: string;
    readonly state: Content;
  },
): Content {
  const { translate } = c.get('visit');
  const { to, owners, counts, list, state } = told;
  const said = ({ count, isMore }: Counted) => (isMore ? `${count}+` : String(count));
  const people = owners.map(
    (owner) =>
      html`<a href="${HOME}/users/${segmentOf(String(owner.id))}"><bdi>${nameIn(LAYOUTS.users, owner)}</bdi></a> `,
  );
  const kind = list.startsWith('mails') ? 'person.mails' : 'person.texts';
  const messages = translate(kind, { count: counts.all.count, number: said(counts.all) });
  const failed = translate('person.failed', { number: said(counts.failed) });
  return html`<p id="person"><strong>${people}<bdi>${to}</bdi></strong>
<a href="${HOME}/${list}">${messages}</a> · ${failed}${state === '' ? '' : html` · ${state}`}</p>`;
}
