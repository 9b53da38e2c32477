import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import { CODE_OUTCOMES, codeOutcome } from '../domain/values/code-outcome.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import type { AuditTable, Instant } from '../store/tables/tables.ts';
import { textsOf } from './common.ts';
import { byText, createdBetweenKeys, equals } from './conditions.ts';
import { auditAbout, auditOf, tokensOf } from './persons.ts';
import { type Listing, member, REQUIRED, type Travelling, worked } from './record.ts';
import * as types from './types.ts';

/**
 * Frequent actions, which a scan finds quickly without an index. The other actions have a partial
 * index, so its condition is repeated here.
 */
const MANY: ReadonlySet<string> = new Set([
  'article.create',
  'article.replace',
  'advert.create',
  'image.create',
]);
const OF_FEW = sql<boolean>`audit.action not in ('article.create', 'article.replace', 'advert.create', 'image.create')`;

/**
 * What was done to content, and who was blocked. The details of all else tell of persons, accounts
 * and the installation: the earlier name of a user, the phone of a code, a suppressed address.
 */
const OPEN_AUDIT = sql<boolean>`(audit.target_kind in ('article', 'advert', 'image', 'review', 'link')
  or audit.action in ('user.block', 'user.unblock', 'user.takedown', 'user.putback'))`;

const TOKEN = member<AuditTable>('token_id', types.key, 'The token of the call.');

const ADDRESS = member<AuditTable>(
  'address',
  types.line(LENGTHS.name),
  'The observed address of the client.',
);

/** What was done, by whom and when. */
export const AUDIT = {
  table: 'audit',
  name: 'audit',
  title: 'AuditEntry',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the entry.', REQUIRED),
    at: member('at', types.instant, 'When it was done.', REQUIRED),
    by: worked(
      types.text(),
      'Who did it: the admin, or the operator on the machine; null for a call.',
      ({ details }) => {
        const { admin = null, operator = admin } = JSON.parse(details);
        return operator;
      },
      { absent: null },
    ),
    action: member(
      'action',
      types.line(LENGTHS.name),
      'What was done: `article.create`.',
      REQUIRED,
    ),
    targetKind: member(
      'target_kind',
      types.line(LENGTHS.name),
      'The kind of what was changed.',
      REQUIRED,
    ),
    targetKey: member(
      'target_key',
      { ...types.line(400), canonical: canonicalKey },
      'The key of what was changed.',
    ),
    tokenId: { ...TOKEN, private: true },
    requestId: member(
      'request_id',
      types.text(),
      'Finds the call in the log, and what else it did.',
      { portable: false },
    ),
    address: ADDRESS,
    details: member(
      'details',
      types.object,
      'What else is worth knowing: an earlier value, the operator, the admin.',
      { absent: '{}', of: ({ details }) => textsOf(details) },
    ),
  },
  layout: {
    columns: ['at', 'by', 'action', 'targetKey', 'details', 'address'],
    called: ['action'],
  },
  orders: { created: byText('audit.id') },
  sort: '-created',
  others: [
    { private: true, rows: OPEN_AUDIT },
    // The URL of a webhook is often its secret, and only owners read it there.
    {
      role: 'owner',
      rows: sql<boolean>`audit.action not in ('user.hold', 'user.release', 'webhook.edit')`,
    },
  ],
  filters: {
    targetKey: 'Only what was done to the record with this key.',
    requestId: equals('Only what this call did.', 'audit.request_id', undefined, {
      column: 'audit.request_id',
      indexed: false,
    }),
    action: {
      about: 'Only this action.',
      type: types.text(),
      maxLength: 64,
      condition: (action) => {
        const isIt = sql<boolean>`audit.action = ${action}`;
        return MANY.has(String(action))
          ? { sql: isIt, indexed: false }
          : { sql: sql<boolean>`${OF_FEW} and ${isIt}`, indexed: true };
      },
    },
    by: {
      about: 'Only what this admin or operator did.',
      type: types.text(),
      maxLength: 64,
      // As it stands in the details. Both engines compare it without patterns in what was asked
      // for.
      condition: (name) => {
        const [admin, operator] = ['admin', 'operator'].map(
          (who) => `"${who}":${JSON.stringify(name)}`,
        );
        return {
          sql: sql<boolean>`(replace(audit.details, ${admin}, '') <> audit.details
            or replace(audit.details, ${operator}, '') <> audit.details)`,
          indexed: false,
        };
      },
    },
    tokenId: {
      about: 'Only what this token did.',
      type: types.key,
      condition: (token) => ({
        sql: sql<boolean>`audit.token_id = ${canonicalKey(String(token))}`,
        indexed: false,
      }),
    },
    ...createdBetweenKeys('audit.id'),
  },
  searched: ['action', 'targetKey', 'tokenId', 'address', 'details'],
  portable: { file: 'audit', about: 'Who did what, and when.', key: ['id'] },
  personal: {
    of: auditOf,
    found: auditAbout,
    fate: 'emptied',
    given: (person) =>
      sql<boolean>`(target_key = ${person.id} or token_id in (${tokensOf(person)}))`,
  },
} as const satisfies Listing<AuditTable> & Travelling<AuditTable>;

/** The steps of a verification code, by their actions in the audit trail. */
const CODE_STEPS = {
  'code.create': 'created',
  'code.attempt': 'attempted',
  'code.verify': 'verified',
} as const;

const STEP = types.word(...Object.values(CODE_STEPS));

/** Written exactly as in the index. */
const IS_CODE = sql<boolean>`substr(audit.action, 1, 5) = 'code.'`;

type CodeRow = AuditTable & {
  /** What the same call did next about the code; absent: nothing. */
  readonly next_action: string | null;
  /** Of a code that was asked for, what was done next to its holder, a line each. */
  readonly later: string | null;
};

/** A right answer is an attempt, and then what it verified, both by one call. */
const NEXT_ACTION = `case when audit.action = 'code.attempt' then (select next.action from audit next
  where next.request_id = audit.request_id and next.target_key = audit.target_key and next.id > audit.id
  order by next.id limit 1) end as next_action`;

/** More steps than one code has, and room for what else is done to its user meanwhile. */
const LATER = 40;

const LATER_STEPS = `case when audit.action = 'code.create' then (select string_agg(step, '\n') from (
  select next.action || ' ' || next.at || ' ' || next.details as step from audit next
  where next.target_key = audit.target_key and next.id > audit.id
  order by next.id limit ${LATER}) steps) end as later`;

/** What became of the code that a row asked for; null for the other steps. */
function outcomeOf({ action, at, details, later }: CodeRow, now: Instant): string | null {
  if (action !== 'code.create') return null;
  const phoneIn = (text: string) => JSON.parse(text).phone;
  const steps = (later ?? '')
    .split('\n')
    .flatMap((line) => [/^(code\.\w+) (\d+) (.*)$/.exec(line) ?? []])
    .filter(([, , , told]) => told !== undefined && phoneIn(told) === phoneIn(details));
  const newer = steps.findIndex(([, did]) => did === 'code.create');
  const own = steps.slice(0, newer === -1 ? undefined : newer).map(([, did]) => did);
  const story = {
    askedAt: Number(at),
    attempts: own.filter((did) => did === 'code.attempt').length,
    isVerified: own.includes('code.verify'),
    replacedAt: newer === -1 ? undefined : Number(steps[newer]![2]),
  };
  return codeOutcome(story, now);
}

const detail = (name: string) => (row: AuditTable) => JSON.parse(row.details)[name] ?? null;

/** Steps of verification codes, out of the audit trail. The code itself is not stored. */
export const CODES = {
  table: 'audit',
  name: 'codes',
  title: 'CodeStep',
  private: true,
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the step.', REQUIRED),
    at: member('at', types.instant, 'When it was taken.', REQUIRED),
    step: member('action', STEP, 'What was done.', {
      ...REQUIRED,
      of: ({ action }) => CODE_STEPS[action as keyof typeof CODE_STEPS],
    }),
    userId: member(
      'target_key',
      types.key,
      'Whose code; null for one that belongs to its number alone.',
      { of: (row) => (row.target_kind === 'user' ? row.target_key : null) },
    ),
    phone: worked(types.text(), 'The number, all but its last digits hidden.', detail('phone'), {
      absent: null,
    }),
    attempt: worked(
      types.count,
      'Which attempt it was; null for the other steps.',
      detail('attempt'),
      { absent: null },
    ),
    isRight: worked<CodeRow>(
      types.flag,
      'Whether the attempt gave the right code; null for the other steps, and where no call is known.',
      ({ action, request_id, next_action }) =>
        action === 'code.attempt' && request_id !== null ? next_action === 'code.verify' : null,
      { absent: null },
    ),
    outcome: worked<CodeRow>(
      types.word(...CODE_OUTCOMES),
      'What has become of the code that was asked for; null for the other steps.',
      (row, { now }) => outcomeOf(row, now),
      { absent: null },
    ),
    tokenId: TOKEN,
    address: ADDRESS,
  },
  reads: `audit.details, audit.target_kind, audit.request_id, ${NEXT_ACTION}, ${LATER_STEPS}`,
  always: { sql: IS_CODE, indexed: true },
  layout: {
    columns: ['step', 'outcome', 'userId', 'phone', 'address', 'at'],
    called: ['phone', 'id'],
  },
  orders: { created: byText('audit.id') },
  sort: '-created',
  filters: {
    userId: 'Only those of this user.',
    step: {
      about: 'Only these steps.',
      type: STEP,
      condition: (step) => {
        const [action] = Object.entries(CODE_STEPS).find(([, name]) => name === step)!;
        return { sql: sql<boolean>`audit.action = ${action}`, indexed: false };
      },
    },
    ...createdBetweenKeys('audit.id'),
  },
} as const satisfies Listing<CodeRow>;
