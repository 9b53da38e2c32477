import { sql } from 'kysely';
import type {
  Instant,
  LinksTable,
  LinkVisitSourcesTable,
  LinkVisitsTable,
} from '../store/tables/tables.ts';
import { byCreation, createdBetween } from './conditions.ts';
import { linksOf, ofMailboxes } from './persons.ts';
import { type Listing, member, REQUIRED, type Travelling, worked } from './record.ts';
import * as types from './types.ts';

type LinkRow = LinksTable & Record<'visits' | 'bots' | 'heads', number | string | null>;

const STATES = ['live', 'disabled', 'ended'] as const;

function stateOf({ disabled_at, deadline }: LinkRow, now: Instant): (typeof STATES)[number] {
  if (disabled_at !== null) return 'disabled';
  return deadline === null || now < deadline ? 'live' : 'ended';
}

const sumOf = (column: string) =>
  `(select sum(link_visits.${column}) from link_visits where link_visits.code = links.code) as ${column}`;

/** Short links. */
export const LINKS = {
  table: 'links',
  name: 'links',
  title: 'Link',
  key: 'code',
  members: {
    code: member(
      'code',
      types.pattern('[A-Za-z0-9_-]{1,64}', 'a code of 1 to 64 letters, digits, `-` and `_`'),
      'The last part of the short link.',
      REQUIRED,
    ),
    url: worked(
      types.text(),
      'The short link.',
      ({ code }, { shortBaseUrl }) => `${shortBaseUrl}/${code}`,
    ),
    qrUrl: worked(
      types.text(),
      'A QR code of it as SVG; with `.png` for `.svg` as PNG.',
      ({ code }, { shortBaseUrl }) => `${shortBaseUrl}/${code}.svg`,
    ),
    orgUrl: member('target', types.webAddress, 'Where it leads.', {
      ...REQUIRED,
      portable: 'target',
    }),
    userId: member('user_id', types.key, 'Who shortened it.'),
    userEmail: member('user_email', types.line(320), 'The address that the call named.', {
      private: true,
    }),
    deadline: member('deadline', types.endOf, 'It works until then; null for always.'),
    state: worked(types.word(...STATES), 'Whether it works.', (row, { now }) => stateOf(row, now), {
      view: 'is_live',
    }),
    visits: worked(types.count, 'How often people followed it.', ({ visits }) =>
      Number(visits ?? 0),
    ),
    robots: worked(types.count, 'How often machines did that say so.', ({ bots }) =>
      Number(bots ?? 0),
    ),
    looks: worked(types.count, 'How often something only asked where it leads.', ({ heads }) =>
      Number(heads ?? 0),
    ),
    createdAt: member('created_at', types.instant, 'When it was made.', REQUIRED),
    disabledAt: member('disabled_at', types.instant, 'Taken down since then.'),
  },
  reads: [sumOf('visits'), sumOf('bots'), sumOf('heads')].join(', '),
  layout: {
    columns: ['url', 'orgUrl', 'state', 'visits', 'robots', 'createdAt'],
    called: ['url', 'code'],
    folded: ['code'],
  },
  orders: { created: byCreation('links', 'code') },
  sort: '-created',
  filters: {
    userId: 'Only those of this user.',
    state: {
      about: 'Only those in this state.',
      type: types.word(...STATES),
      condition: (state, now) => {
        if (state === 'disabled')
          return { sql: sql<boolean>`links.disabled_at is not null`, indexed: true };
        const works = sql<boolean>`(links.deadline is null or links.deadline > ${now})`;
        const condition = state === 'live' ? works : sql<boolean>`not ${works}`;
        return { sql: sql<boolean>`links.disabled_at is null and ${condition}`, indexed: false };
      },
    },
    ...createdBetween('links.created_at'),
  },
  searched: ['code', 'orgUrl', 'userId', 'userEmail'],
  portable: {
    file: 'links',
    about: 'Short links. A code of an old service is kept as it is.',
    key: ['code'],
  },
  personal: {
    of: ({ id, emails }) =>
      sql<boolean>`(user_id = ${id} or ${ofMailboxes('lower(user_email)', emails)})`,
    found: ({ id }) => sql<boolean>`user_id = ${id}`,
    fate: 'emptied',
  },
} as const satisfies Listing<LinkRow> & Travelling<LinkRow>;

const DAY = {
  code: member('code', types.line(64), 'The code.', REQUIRED),
  day: member('day', types.day, 'The day, `yyyy-MM-dd`, in TIME_ZONE.', REQUIRED),
} as const;

/** Who followed a link on a day, in numbers only. */
export const LINK_VISITS = {
  table: 'link_visits',
  members: {
    ...DAY,
    visits: member('visits', types.count, 'By people.', { absent: 0 }),
    robots: member('bots', types.count, 'By robots.', { absent: 0, portable: 'bots' }),
    looks: member('heads', types.count, 'By HEAD requests.', { absent: 0, portable: 'heads' }),
  },
  portable: {
    file: 'link-visits',
    about: 'How often links were followed, by day.',
    key: ['code', 'day'],
  },
  personal: { of: (person) => sql<boolean>`code in (${linksOf(person)})`, fate: 'deleted' },
} as const satisfies Travelling<LinkVisitsTable>;

/** Where people who followed a link on a day came from, in numbers only. */
export const LINK_VISIT_SOURCES = {
  table: 'link_visit_sources',
  members: {
    ...DAY,
    kind: member(
      'kind',
      types.pattern('referrer|country|language', 'referrer, country or language'),
      'The kind of source.',
      REQUIRED,
    ),
    name: member(
      'name',
      types.line(253),
      'A host, a country or a language; `-` for none, `*` for others.',
      REQUIRED,
    ),
    visits: member('visits', types.count, 'By people.', { absent: 0 }),
  },
  portable: {
    file: 'link-visit-sources',
    about: 'Where people who followed links came from, by day.',
    key: ['code', 'day', 'kind', 'name'],
  },
  personal: { of: (person) => sql<boolean>`code in (${linksOf(person)})`, fate: 'deleted' },
} as const satisfies Travelling<LinkVisitSourcesTable>;
