import { randomUUID } from 'node:crypto';
import { indexAdverts } from '../../apps/ws01/src/domain/adverts/search-index.ts';
import { ANYBODY } from '../kit/operations.ts';
import { insertRows } from '../kit/rows.ts';
import { type Area, heavyShare, ownerSql, someUser } from './area.ts';
import { SOME_TIME } from './articles.ts';

/** About 500 bytes in UTF-8, with nothing that is searched for but once in a hundred adverts. */
const DETAIL = 'Bright and quiet, near the park. 东京站前公寓出租，两室一厅，朝南。'.repeat(7);

/** Adverts: of publishers of a hundred, and of one who has a tenth of all, whose texts are indexed from 5,000 on. */
export const adverts: Area = {
  name: 'adverts',
  most: 10_000_000,

  async fill(database, growth) {
    const owner = ownerSql(growth);
    // Titles in another order than that of time.
    const title = `(i * 7919 % 1000003)`;
    await insertRows(database, 'adverts', growth, ({ key }) => ({
      guid: key('i'),
      owner,
      created_at: SOME_TIME,
      title: `'Flat ' || ${title}`,
      title_key: `'FLAT ' || ${title}`,
      link_txt: `'more'`,
      link_url: `'https://example.com/' || i`,
      is_image: 0,
      ip: `'192.0.2.1'`,
      detail: `'${DETAIL}'`,
      search_text: `'FLAT ' || i || '\n${DETAIL.toUpperCase()}' || case when i % 100 = 0 then '厨房' else '' end || '\nMORE'`,
    }));
    await insertRows(database, 'postings', growth, ({ key }) => ({
      kind: 2,
      record_key: key('i'),
      user_id: owner,
      network: `'192.0.2.' || (i % 250)`,
      at: SOME_TIME,
    }));
    // As the service does in the background, of publishers with many.
    await indexAdverts(database.store, {});
  },

  workloads({ call }, rows) {
    const create = (guid: string) =>
      call('addNewAdvert', {
        guid,
        title: `Flat ${randomUUID()}`,
        detail: DETAIL,
        CreateUserId: someUser(rows),
      });
    const list = (userId: string, given: object) =>
      call('QueryAdvert', { userId, ...given }, ANYBODY);
    const ordinary = (given: object) => () => list(someUser(rows), given);
    const heavy = (given: object) => () => list('heavy', given);
    return [
      { name: 'addNewAdvert, with a key', call: () => create(randomUUID()) },
      { name: 'addNewAdvert, without a key', call: () => create('') },
      { name: 'QueryAdvert, a publisher of 100', call: ordinary({}) },
      { name: 'QueryAdvert, a publisher of 100, by title', call: ordinary({ orderBy: 'title' }) },
      { name: 'QueryAdvert, a publisher of 100, a search', call: ordinary({ query: '厨房' }) },
      { name: 'QueryAdvert, a tenth of all', call: heavy({}) },
      {
        name: 'QueryAdvert, a tenth of all, page in the middle',
        call: heavy({ pageindex: heavyShare(rows) / 40 }),
      },
      {
        name: 'QueryAdvert, a tenth of all, by title',
        call: heavy({ orderBy: 'title', sort: 'asc' }),
      },
      {
        name: 'QueryAdvert, a tenth of all, a search that finds 1 %',
        call: heavy({ query: '厨房' }),
      },
      {
        name: 'QueryAdvert, a tenth of all, a search that finds all',
        call: heavy({ query: '京' }),
      },
    ];
  },
};
