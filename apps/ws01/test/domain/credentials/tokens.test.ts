import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addTermOptions, readScopeList, type TermOptions } from '../../../src/cli/token/terms.ts';
import { OPERATION_SCOPES, SCOPES } from '../../../src/contract/parameters.ts';
import {
  ensureBootstrapToken,
  ensureFirstToken,
  FIRST_USER,
} from '../../../src/domain/credentials/first-tokens.ts';
import { hashToken } from '../../../src/domain/credentials/token-text.ts';
import {
  findTokenByText,
  importTokens,
  issueToken,
  revokeToken,
  summaryOf,
  type TokenTerms,
} from '../../../src/domain/credentials/tokens.ts';
import { registerUsers } from '../../../src/domain/users/users.ts';
import type { Store } from '../../../src/store/store.ts';
import { forBothEngines } from '../../kit/database.ts';
import { rowsOf } from '../../kit/rows.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const clock = () => NOW;
const service: TokenTerms = { kind: 'service', scopes: ['mail', 'articles'], label: '后端 <&>' };
const SECRET = 'an-old-secret-of-the-field';

const allUsers = (store: Store) => rowsOf(store, 'users', 'id');

const allTokens = async (store: Store) => (await rowsOf(store, 'tokens', 'id')).map(summaryOf);

async function auditActions(store: Store): Promise<string[]> {
  const rows = await store.read((db) =>
    db.selectFrom('audit').select('action').orderBy('id').execute(),
  );
  return rows.map(({ action }) => action);
}

forBothEngines((_engine, fresh) => {
  test('issueToken: kept as its hash, listed without its text', async (t) => {
    const store = await (await fresh(t)).open();
    const { id, text } = await issueToken(
      store,
      { ...service, userId: 'ada', expiresAt: NOW + 1 },
      clock,
    );
    assert.deepEqual(await allTokens(store), [
      {
        id,
        label: '后端 <&>',
        kind: 'service',
        scopes: ['articles', 'mail'],
        userId: 'ada',
        createdAt: NOW,
        expiresAt: NOW + 1,
        revokedAt: undefined,
        lastUsedAt: undefined,
      },
    ]);
    const rows = await store.read((db) => db.selectFrom('tokens').selectAll().execute());
    assert.deepEqual(Buffer.from(rows[0]!.hash), hashToken(text));
    const everything = await store.read(async (db) => [
      ...(await db.selectFrom('audit').selectAll().execute()),
      ...rows.map((row) => ({ ...row, hash: Buffer.from(row.hash).toString('latin1') })),
    ]);
    assert.ok(!JSON.stringify(everything).includes(text));
    assert.deepEqual(await auditActions(store), ['token.create']);
    // The default sender exists from now on, and is not registered by that.
    assert.deepEqual(
      (await allUsers(store)).map((user) => [user.id, user.registered]),
      [['ada', 0]],
    );
  });

  test('issueToken: in the form of a GUID on request', async (t) => {
    const store = await (await fresh(t)).open();
    const { id, text } = await issueToken(store, service, clock, { guid: true });
    assert.match(text, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal((await findTokenByText(store, `{${text.toUpperCase()}}`))?.id, id);
  });

  test('terms that make no sense are refused, and nothing is written', async (t) => {
    const store = await (await fresh(t)).open();
    const wrong: readonly (readonly [Partial<TokenTerms>, string])[] = [
      [{ kind: 'user' }, 'MissingParameter'],
      [{ scopes: [] }, 'MissingParameter'],
      [{ label: 'two\nlines' }, 'InvalidParameter'],
      [{ label: '名'.repeat(101) }, 'InvalidParameter'],
      [{ expiresAt: NOW }, 'InvalidParameter'],
    ];
    for (const [terms, code] of wrong) {
      await assert.rejects(issueToken(store, { ...service, ...terms }, clock), { code });
      await assert.rejects(importTokens(store, [{ ...service, ...terms, text: SECRET }], clock), {
        code,
      });
    }
    assert.deepEqual(await allTokens(store), []);
  });

  test('importTokens: all or none, and harmless when repeated', async (t) => {
    const store = await (await fresh(t)).open();
    const list = [
      { ...service, text: SECRET },
      { kind: 'user', scopes: SCOPES, userId: 'bob', text: '密码密码密码密码' } as const,
    ];
    const first = await importTokens(store, list, clock);
    assert.equal(first.added, 2);
    assert.deepEqual(await importTokens(store, list, clock), { ids: first.ids, added: 0 });

    const others = [
      { ...service, text: 'another-secret' },
      { ...service, kind: 'admin', text: SECRET } as const,
    ];
    await assert.rejects(importTokens(store, others, clock), { code: 'AlreadyExists' });
    assert.equal((await allTokens(store)).length, 2);

    await revokeToken(store, first.ids[0]!, clock);
    await assert.rejects(importTokens(store, list, clock), { code: 'AlreadyExists' });
  });

  test('revokeToken: for good, once, and only what is there', async (t) => {
    const store = await (await fresh(t)).open();
    const { id } = await issueToken(store, service, clock);
    assert.equal((await revokeToken(store, id, clock)).revokedAt, NOW);
    assert.equal((await revokeToken(store, id, () => NOW + 5)).revokedAt, NOW);
    await assert.rejects(revokeToken(store, 'nothing', clock), { code: 'NotFound' });
    assert.deepEqual(await auditActions(store), ['token.create', 'token.revoke']);
  });

  test('BOOTSTRAP_TOKEN: a service token with all scopes and a registered default sender, also from two nodes at once', async (t) => {
    const database = await fresh(t);
    const nodes = [await database.open(), await database.open()];
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(nodes.map((node) => ensureBootstrapToken(node, SECRET, clock)));
    }
    const [store] = nodes;
    const [token, ...rest] = await allTokens(store!);
    assert.deepEqual(rest, []);
    assert.deepEqual([token!.kind, token!.scopes, token!.userId], ['service', SCOPES, FIRST_USER]);
    assert.deepEqual(
      (await allUsers(store!)).map((user) => [user.id, user.registered]),
      [[FIRST_USER, 1]],
    );
    assert.deepEqual(await auditActions(store!), ['token.bootstrap']);
  });

  test('BOOTSTRAP_TOKEN: puts the terms of an imported token right, and revives no revoked one', async (t) => {
    const store = await (await fresh(t)).open();
    await importTokens(store, [{ ...service, expiresAt: NOW + 1, text: SECRET }], clock);
    await ensureBootstrapToken(store, SECRET, clock);
    const [token] = await allTokens(store);
    assert.deepEqual(
      [token!.scopes, token!.userId, token!.expiresAt],
      [SCOPES, FIRST_USER, undefined],
    );

    await revokeToken(store, token!.id, clock);
    await ensureBootstrapToken(store, SECRET, clock);
    assert.equal((await allTokens(store))[0]!.revokedAt, NOW);
  });

  test('the first token: made once, by one of the nodes that start at once', async (t) => {
    const database = await fresh(t);
    const nodes = await Promise.all(Array.from({ length: 4 }, () => database.open()));
    const texts = await Promise.all(nodes.map((node) => ensureFirstToken(node, clock)));
    const made = texts.filter((text) => text !== undefined);
    assert.equal(made.length, 1);
    const [token, ...rest] = await allTokens(nodes[0]!);
    assert.deepEqual(rest, []);
    assert.equal((await findTokenByText(nodes[0]!, made[0]!))?.id, token!.id);
    assert.deepEqual([token!.kind, token!.scopes, token!.userId], ['service', SCOPES, FIRST_USER]);

    await revokeToken(nodes[0]!, token!.id, clock);
    assert.equal(await ensureFirstToken(nodes[1]!, clock), undefined);
  });

  test('the first token: none where a token was made otherwise', async (t) => {
    const store = await (await fresh(t)).open();
    await issueToken(store, service, clock);
    assert.equal(await ensureFirstToken(store, clock), undefined);
    assert.deepEqual(await allUsers(store), []);
  });

  test('the first token keeps what is registered of its user', async (t) => {
    const store = await (await fresh(t)).open();
    await registerUsers(
      store,
      [{ id: FIRST_USER, name: 'Desk', email: 'desk@example.com' }],
      clock,
    );
    await ensureFirstToken(store, clock);
    const [user] = await allUsers(store);
    assert.deepEqual([user!.name, user!.email, user!.registered], ['Desk', 'desk@example.com', 1]);
  });
});

test('scopes beyond the operations are given by name, and to the first tokens', async () => {
  const beyond = ['read', 'manage'];
  const isAsked = (scope: string) => beyond.includes(scope);
  assert.deepEqual(readScopeList('all').filter(isAsked), []);
  assert.deepEqual(readScopeList('all, manage').filter(isAsked), ['manage']);
  assert.deepEqual(readScopeList('read'), ['read']);
  assert.throws(
    () => readScopeList('all,reed'),
    /The scopes are .* read, manage; all means all except read and manage/,
  );
  const created = addTermOptions(new Command()).parse([], { from: 'user' }).opts<TermOptions>();
  assert.deepEqual(created.scopes, OPERATION_SCOPES);
  assert.deepEqual(SCOPES.filter(isAsked), beyond);
});
