import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Kind } from '../../src/api/kind.ts';
import * as kinds from '../../src/api/kinds.ts';
import { PUBLIC_ADVERTS, PUBLIC_ARTICLES } from '../../src/api/public/kinds.ts';
import { LAYOUTS } from '../../src/console/kinds.ts';
import { RECORDS } from '../../src/domain/portable/kinds.ts';
import { ADMINS } from '../../src/records/admins.ts';
import { CODES } from '../../src/records/audit.ts';
import { BACKUPS } from '../../src/records/backups.ts';
import { EVENTS } from '../../src/records/events.ts';
import { PHONE_CODES } from '../../src/records/phones.ts';
import type { Listing, Member, Members } from '../../src/records/record.ts';
import { SMS } from '../../src/records/sms.ts';
import { LEGAL_HOLDS } from '../../src/records/users.ts';
import { WEBHOOKS } from '../../src/records/webhooks.ts';

type AnyRecord = { readonly table: string; readonly members: Members<never> };

const ALL: readonly AnyRecord[] = [
  ...RECORDS,
  ADMINS,
  BACKUPS,
  CODES,
  EVENTS,
  LEGAL_HOLDS,
  PHONE_CODES,
  SMS,
  WEBHOOKS,
] as readonly unknown[] as AnyRecord[];

const API = Object.values(kinds) as readonly Kind<never>[];

/** Columns that have several names in answers, each released, or each another reading; and why. */
const SEVERAL: Readonly<Record<string, string>> = {
  owner: 'createUserId of articles and adverts is the name of the operations',
  guid: 'fileGuid of images is the name of the operations',
  category_key: 'postAtCategoryGuid of adverts is the name of the operations',
  deadline: 'showDeadLine of adverts is the name of the operations',
  state: 'of a user the place; of a message its status',
  until: 'of a legal hold, and of a call that is recognised',
  reason: 'of a suppression; of a legal hold, which users have among other members',
  voter: 'a voter is a user, or an address',
  action: 'the actions on codes are steps',
  target_key: 'the target of a step is a user',
};

/** In snake case. */
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns of the released views, by view, as their page has them. */
function viewColumns(): Map<string, readonly string[]> {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/views.md'), 'utf8');
  const rows = page.matchAll(/^\| `(v1_\w+)` \|.*\| (`[^|]*`) \|$/gm);
  return new Map([...rows].map(([, view, cells]) => [view!, cells!.match(/\w+/g)!]));
}

/** Every name that a record's members have in views. */
function viewNames(members: Members<never>): Set<string> {
  return new Set(
    Object.entries<Member<never>>(members).flatMap(([name, { portable, view }]) => [
      snake(name),
      ...(typeof portable === 'string' ? [snake(portable)] : []),
      ...(view === undefined ? [] : [view]),
    ]),
  );
}

describe('one word for one thing', () => {
  it('a column has one public name, in every record that has it', () => {
    const names = new Map<string, Set<string>>();
    for (const { members } of ALL) {
      for (const [name, { column }] of Object.entries<Member<never>>(members)) {
        if (column !== undefined)
          names.set(column, (names.get(column) ?? new Set<string>()).add(name));
      }
    }
    const several = [...names].filter(
      ([column, of]) => of.size > 1 && !Object.hasOwn(SEVERAL, column),
    );
    assert.deepEqual(
      several.map(([column, of]) => `${column}: ${[...of].join(', ')}`),
      [],
    );
    const unused = Object.keys(SEVERAL).filter((column) => (names.get(column)?.size ?? 0) < 2);
    assert.deepEqual(unused, [], 'columns with a reason for several names, which have one');
  });

  it('every column of a released view is a member, by a name that its record gives', () => {
    const records: Readonly<Record<string, readonly unknown[]>> = {
      v1_articles: [kinds.ARTICLES, PUBLIC_ARTICLES],
      v1_articles_all: [kinds.ARTICLES, PUBLIC_ARTICLES],
      v1_adverts: [kinds.ADVERTS, PUBLIC_ADVERTS],
    };
    const views = viewColumns();
    assert.ok(views.size > 8);
    for (const [view, columns] of views) {
      if (view === 'v1_review_tallies') continue;
      const record = ALL.find(
        ({ table }) => table.replace('article_', '') === view.slice(3).replace('_all', ''),
      );
      assert.ok(record !== undefined, view);
      const known = viewNames(record.members);
      for (const kind of (records[view] ?? []) as readonly Kind<never>[])
        for (const name of Object.keys(kind.fields)) known.add(snake(name));
      const unknown = columns.filter((column) => {
        const named = column.replace(/(^|_)path$/, '$1url').replace(/_ms$/, '');
        return !known.has(named) && !known.has(`${named}_at`);
      });
      assert.deepEqual(unknown, [], view);
    }
  });

  it('filters, searches, orders and keys name members; a filter knows the words of its member', () => {
    for (const { name, key, fields, filters, searched = {} } of API) {
      for (const member of [key.name, ...Object.keys(searched)])
        assert.ok(Object.hasOwn(fields, member), `${name}: ${member}`);
      for (const [filter, { schema }] of Object.entries(filters)) {
        const words = fields[filter]?.schema.enum ?? [];
        assert.deepEqual(
          words.filter((word) => schema.enum?.includes(word) === false),
          [],
          `${name}: ${filter}`,
        );
      }
    }
  });

  it('the console lays out members', () => {
    for (const { name, fields } of API) {
      const { columns = [], called = [] } = LAYOUTS[name] ?? {};
      for (const member of [...columns, ...called.flatMap((some) => some.split(' '))])
        assert.ok(Object.hasOwn(fields, member), `${name}: ${member}`);
    }
  });

  it('names in portable files are aliases only where they differ', () => {
    for (const { members } of RECORDS as readonly unknown[] as readonly Listing<never>[]) {
      for (const [name, { portable, view }] of Object.entries<Member<never>>(members)) {
        assert.notEqual(portable, name);
        assert.notEqual(view, snake(name));
      }
    }
  });
});
