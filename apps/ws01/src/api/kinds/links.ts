import { sql } from 'kysely';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { Instant, LinksTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Kind } from '../kind.ts';
import { instant, integer, nullable, text, word } from '../schema.ts';
import { byCreation, createdBetween } from './shared.ts';

type LinkRow = Omit<LinksTable, 'request_hash'> &
  Record<'visits' | 'bots' | 'heads', number | string | null>;

const STATES = ['live', 'disabled', 'ended'] as const;

function stateOfLink({ disabled_at, deadline }: LinkRow, now: Instant): (typeof STATES)[number] {
  if (disabled_at !== null) return 'disabled';
  return deadline === null || now < deadline ? 'live' : 'ended';
}

const fields: Fields<LinkRow> = {
  code: column(text('The last part of the short link.'), 'code'),
  url: {
    schema: text('The short link.'),
    of: ({ code }, { shortBaseUrl }) => `${shortBaseUrl}/${code}`,
  },
  qrUrl: {
    schema: text('A QR code of it as SVG; with `.png` for `.svg` as PNG.'),
    of: ({ code }, { shortBaseUrl }) => `${shortBaseUrl}/${code}.svg`,
  },
  orgUrl: column(text('Where it leads.'), 'target'),
  userId: column(nullable(text('Who shortened it.')), 'user_id'),
  userEmail: { ...column<LinkRow>(nullable(text('')), 'user_email'), private: true },
  deadline: at(nullable(instant('It works until then; null for always.')), 'deadline'),
  state: {
    schema: word('Whether it works.', ...STATES),
    of: (row, { now }) => stateOfLink(row, now),
  },
  visits: {
    schema: integer('How often people followed it.'),
    of: ({ visits }) => Number(visits ?? 0),
  },
  robots: {
    schema: integer('How often machines did that say so.'),
    of: ({ bots }) => Number(bots ?? 0),
  },
  looks: {
    schema: integer('How often something only asked where it leads.'),
    of: ({ heads }) => Number(heads ?? 0),
  },
  createdAt: at(instant('When it was made.'), 'created_at'),
  disabledAt: at(nullable(instant('Taken down since then.')), 'disabled_at'),
};

const sumOf = (column: string) =>
  `(select sum(link_visits.${column}) from link_visits where link_visits.code = links.code) as ${column}`;

export const LINKS: Kind<LinkRow> = {
  name: 'links',
  title: 'Link',
  key: { name: 'code', column: 'links.code' },
  from: 'links',
  columns: `links.code, target, user_id, user_email, deadline, created_at, disabled_at, ${sumOf('visits')},
    ${sumOf('bots')}, ${sumOf('heads')}`,
  orders: {
    created: byCreation('links', 'code'),
  },
  sort: '-created',
  filters: {
    userId: equals(text('Only those of this user.'), 'links.user_id', canonicalKey),
    state: {
      schema: word('Only those in this state.', ...STATES),
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
  search: {
    description: 'Only those with these words in code, target, user or e-mail address.',
    members: {
      code: 'links.code',
      orgUrl: 'links.target',
      userId: 'links.user_id',
      userEmail: 'links.user_email',
    },
  },
  fields,
};
