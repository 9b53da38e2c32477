import { ANYBODY } from '../kit/operations.ts';
import { insertRows } from '../kit/rows.ts';
import type { Area } from './area.ts';
import { SOME_TIME } from './articles.ts';

/** Short links. */
export const links: Area = {
  name: 'links',
  most: 10_000_000,

  fill: (database, growth) =>
    insertRows(database, 'links', growth, ({ key, digest }) => ({
      code: `substr(${key('i')}, 1, 10)`,
      target: `'https://example.com/adverts/' || i`,
      user_id: `'user-' || (i % 1000)`,
      request_hash: digest('i'),
      created_at: SOME_TIME,
    })),

  workloads({ call }) {
    const shorten = (path: string) =>
      call('UrltoShortUrl', { _userId: 'user-1', _orgUrl: `https://example.com/${path}` }, ANYBODY);
    return [
      { name: 'UrltoShortUrl, new', call: () => shorten(String(Math.random())) },
      { name: 'UrltoShortUrl, the same again', call: () => shorten('again') },
    ];
  },
};
