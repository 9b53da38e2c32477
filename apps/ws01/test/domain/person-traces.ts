import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import type { Store } from '../../src/store/store.ts';
import { type ApiDesk, callOperation, openApiDesk, SEEDED_SETTINGS } from '../kit/api.ts';
import type { FreshDatabase } from '../kit/database.ts';
import { rates } from '../kit/fixed.ts';
import { blackPng } from '../kit/images/containers.ts';

/** Texts that stand for one person, each as unlikely elsewhere as the next; in lower case. */
const MARKS = words('zaphod beeblebrox heartofgold.example 4155550142 198.51.100.42 betelgeuse');

export const PERSON = 'zaphod';
export const EMAIL = 'zaphod+heads@heartofgold.example';
export const PHONE = '+14155550142';

/** A service behind a proxy, so that the person has an address of their own. */
export async function openDesk(t: TestContext, fresh: FreshDatabase): Promise<ApiDesk> {
  return openApiDesk(t, fresh, {
    ...{ ...SEEDED_SETTINGS, TRUSTED_PROXIES: '127.0.0.0/8,::1' },
    // The budgets' keys name the person too.
    ...{ RATE_LIMITS: 'on', fixed: { smsPerPhone: rates('9/day') } },
  });
}

/** Has a person leave something in every table that can hold something of one. */
export async function leaveTraces(desk: ApiDesk): Promise<void> {
  const call = (operation: string, params: Record<string, unknown>) =>
    callOperation(desk, operation, params);
  const guid = 'zaphod-flat';
  await desk.post('/users', { id: PERSON, name: 'Zaphod', email: EMAIL });
  await desk.ask('PATCH', `/users/${PERSON}`, { lastName: 'Prefect', city: 'Betelgeuse' });
  await desk.ask('PATCH', `/users/${PERSON}`, { lastName: 'Beeblebrox' });
  for (const content of ['Two heads from Betelgeuse', 'Three arms']) {
    await call('InsertArticle', {
      guid,
      caption: 'Beeblebrox',
      content,
      CreateUserId: PERSON,
      contactPhone: PHONE,
    });
  }
  await call('addNewAdvert', {
    guid: 'zaphod-ad',
    title: 'Heads of Beeblebrox',
    CreateUserId: PERSON,
  });
  const picture = blackPng(6, 5).toString('base64');
  await call('InsertArticleImageFile', {
    FileGuid: 'zaphod-photo',
    FileImg: picture,
    Link_Guid: guid,
    IsIcons: false,
  });
  await call('submitReview', {
    id: 'others',
    IsPositive: 'true',
    Mark: '5',
    userId: PERSON,
    remark: 'By Beeblebrox',
  });
  await call('submitReview', { id: guid, IsPositive: 'false', Mark: '1', userId: 'ford' });
  const report = { targetKind: 'article', targetKey: guid, reason: 'fraud' };
  await desk.post('/public/reports', { ...report, detail: 'Beeblebrox has one head.' });
  await call('CreateVerifyCode', { userId: PERSON, cellphone: PHONE });
  // As a form to sign up does, before there is a user.
  await call('CreateVerifyCode', { userId: '', cellphone: PHONE });
  const link = await call('UrltoShortUrl', {
    _orgUrl: 'https://betelgeuse.example/zaphod',
    _userId: PERSON,
    _userEmail: EMAIL,
  });
  assert.equal(
    (await fetch(desk.url + new URL(link).pathname, { redirect: 'manual' })).status,
    302,
  );
  const { body } = await desk.post('/tokens', {
    scopes: ['mail'],
    kind: 'user',
    userId: PERSON,
    label: 'of zaphod',
  });
  const mail = {
    receiverName: 'Ford',
    receiverEmail: 'ford@example.com',
    subject: 'From Beeblebrox',
    body: 'Hello',
  };
  await call('SendEmail', { authorizationUserId: body.token, ...mail });
  await desk.post('/users', { id: 'ford', name: 'Ford' });
  const other = await desk.post('/tokens', {
    scopes: ['mail'],
    kind: 'user',
    userId: 'ford',
    label: 'of ford',
  });
  const answer = { receiverName: 'Zaphod', receiverEmail: EMAIL, subject: 'Answer', body: 'Hello' };
  await call('SendEmail', { authorizationUserId: other.body.token, ...answer });
  // The same mailbox in other forms.
  for (const receiverEmail of ['Zaphod@HeartOfGold.example', 'zaphod+towel@heartofgold.example']) {
    await call('SendEmail', { authorizationUserId: other.body.token, ...answer, receiverEmail });
    await call('UrltoShortUrl', { _orgUrl: 'https://example.com/', _userEmail: receiverEmail });
    await desk.post(`/suppressions/${encodeURIComponent(receiverEmail)}/add`, { note: 'too' });
  }
  await desk.post(`/suppressions/${encodeURIComponent(EMAIL)}/add`, {
    note: 'Beeblebrox asked for it',
  });
  await desk.store.write(async (tx) => {
    // What only a while, or an SMS gateway, leaves.
    const at = Date.now();
    await tx
      .insertInto('phone_verifications')
      .values({ user_id: PERSON, phone: PHONE, verified_at: at })
      .execute();
    await tx
      .insertInto('number_verifications')
      .values({ token_id: 'some', phone: PHONE, verified_at: at })
      .execute();
    await tx
      .insertInto('used_codes')
      .values({
        ...{
          user_id: PERSON,
          phone: PHONE,
          id: 'used',
          key_id: 1,
          hash: new Uint8Array(32),
          attempts: 1,
        },
        ...{ token_id: body.item.id, used_at: at },
      })
      .execute();
    const used = await tx
      .selectFrom('used_codes')
      .selectAll()
      .where('id', '=', 'used')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('used_codes')
      .values({ ...used, user_id: '', id: 'used by nobody' })
      .execute();
    await tx.updateTable('users').set({ cell_phone: PHONE }).where('id', '=', PERSON).execute();
    await tx
      .updateTable('articles')
      .set({ ip: '198.51.100.42' })
      .where('guid', '=', guid)
      .execute();
    await tx
      .updateTable('postings')
      .set({ network: '198.51.100.42' })
      .where('user_id', '=', PERSON)
      .execute();
    const budget = { key: '198.51.100.42', used: 1, resets_at: at + MINUTE_MS };
    await tx
      .insertInto('budgets')
      .values({ name: 'somePerAddress 60000', ...budget })
      .execute();
    await tx
      .insertInto('token_networks')
      .values({ token_id: body.item.id, network: '198.51.100.0/24', used_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Every value of the database with one of the marks in it: `table.column: value`. */
export async function marksIn(store: Store): Promise<string[]> {
  const tables = await store.read((db) => db.introspection.getTables());
  const found: string[] = [];
  for (const { name, columns } of tables) {
    const texts = columns
      .filter(({ dataType }) => !/int/i.test(dataType))
      .map((column) => column.name);
    if (texts.length === 0) continue;
    const list = sql.join(texts.map((text) => sql.ref(text)));
    const { rows } = await store.read((db) =>
      sql<Record<string, unknown>>`select ${list} from ${sql.table(name)}`.execute(db),
    );
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const text =
          value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
        if (MARKS.some((mark) => text.toLowerCase().includes(mark)))
          found.push(`${name}.${column}: ${text}`);
      }
    }
  }
  return found;
}

/** PostgreSQL has the trail in partitions, one a month. */
export const tableOf = (found: string) => found.split('.')[0]!.replace(/^audit_.*/, 'audit');

/** The SHA-256 of every file below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) =>
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ),
  );
}
