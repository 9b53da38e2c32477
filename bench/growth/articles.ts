import { randomUUID } from 'node:crypto';
import { insertRows, keyOf } from '../kit/rows.ts';
import { type Area, ORDINARY, ownerSql, scattered, someUser } from './area.ts';

const CONTENT = 'Bright and quiet, near the park. 东京站前公寓出租，两室一厅，朝南。';
const NOW = 1_790_000_000_000;

/** SQL of a column as far back as ninety days. */
export const SOME_TIME = `${NOW} - i * 3266489917 % 7776000000`;

/** Articles with their owners and categories, and their creations in the ledger. */
export const articles: Area = {
  name: 'articles',
  most: 10_000_000,

  async fill(database, growth) {
    const owner = ownerSql(growth);
    await insertRows(database, 'articles', growth, ({ key }) => ({
      guid: key('i'),
      owner,
      caption: `'Flat ' || i`,
      content: `'${CONTENT}'`,
      category_key: `'category-' || (i % 997)`,
      contact_phone: `'+1 212 555 0100'`,
      status: 0,
      from_url: `''`,
      ip: `'192.0.2.1'`,
      created_at: SOME_TIME,
      updated_at: SOME_TIME,
      revision: 1,
    }));
    await insertRows(database, 'postings', growth, ({ key }) => ({
      kind: 1,
      record_key: key('i'),
      user_id: owner,
      network: `'192.0.2.' || (i % 250)`,
      at: SOME_TIME,
    }));
    const hundredth = { from: growth.from / ORDINARY, to: growth.to / ORDINARY };
    const user = () => ({ id: `'user-' || i`, registered: 0, created_at: NOW, updated_at: NOW });
    await insertRows(database, 'users', hundredth, user, 'number');
    if (growth.from > 0) return;
    await insertRows(database, 'categories', { from: 0, to: 997 }, () => ({
      key: `'category-' || i`,
      created_at: NOW,
    }));
  },

  workloads({ call }, rows) {
    const stored = (turn: number) => keyOf(scattered(turn, rows));
    const article = (guid: string, content: string) =>
      call('InsertArticle', {
        guid,
        caption: 'Flat to let',
        content,
        categoryGuid: `category-${Math.floor(Math.random() * 997)}`,
        CreateUserId: someUser(rows),
      });
    const trashed: string[] = [];
    return [
      { name: 'InsertArticle, new', call: () => article(randomUUID(), CONTENT) },
      {
        name: 'InsertArticle, other content',
        call: (turn) =>
          call('InsertArticle', { guid: stored(turn), caption: 'Flat', content: randomUUID() }),
      },
      {
        name: 'UpdateOrInsertArticleById, other content',
        call: (turn) =>
          call('UpdateOrInsertArticleById', { Id: stored(turn), content: randomUUID() }),
      },
      {
        name: 'UpdatePinnedTopDueDateByGuid',
        call: (turn) =>
          call('UpdatePinnedTopDueDateByGuid', {
            guid: stored(turn),
            pinnedTopDueDate: Date.now() + turn,
          }),
      },
      {
        name: 'UpdateArticleCategory',
        call: (turn) =>
          call('UpdateArticleCategory', { guid: stored(turn), cateId: `category-${turn % 101}` }),
      },
      {
        name: 'DeleteArticleByGuid',
        prepare: async (calls) => {
          for (let count = 0; count < calls; count++) trashed.push(randomUUID());
          await Promise.all(trashed.map((guid) => article(guid, CONTENT)));
        },
        call: (turn) => call('DeleteArticleByGuid', { guid: trashed[turn]! }),
      },
    ];
  },
};
