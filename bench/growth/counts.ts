import { DAY_MS } from '@ws01/asmx/time';
import { insertRows } from '../kit/rows.ts';
import { type Area, ORDINARY, ownerSql, someUser } from './area.ts';

const DAYS = 90;

/** The ledger of creations: users and addresses with a hundred each, and one of each who has a tenth of all. */
export const counts: Area = {
  name: 'counts',
  most: 10_000_000,

  fill(database, growth) {
    const owner = ownerSql(growth);
    const now = Date.now();
    const [first, count] = [growth.from / ORDINARY, (growth.to - growth.from) / ORDINARY];
    const network = `${first} + i * 3266489917 % 1000000007 % ${count}`;
    return insertRows(database, 'postings', growth, ({ key, hex }) => ({
      kind: '1 + i % 4',
      record_key: key('i'),
      user_id: owner,
      network: `case when ${owner} = 'heavy' then '192.0.2.1'
        else '2001:db8:' || ${hex(`(${network}) >> 16`)} || ':' || ${hex(`(${network}) & 65535`)} || '::/64' end`,
      at: `${now} - i * 3266489917 % ${DAYS * DAY_MS}`,
    }));
  },

  workloads({ call }, rows) {
    const user = (userId: string, lastFewDays: number, level: string) =>
      call('countUserPosted', { userId, lastFewDays: String(lastFewDays), level });
    const address = (IP: string, lastFewDays: number, level: string) =>
      call('countIpPosted', { IP, lastFewDays: String(lastFewDays), level });
    return [
      { name: 'countUserPosted, one kind, 7 days', call: () => user(someUser(rows), 7, 'article') },
      {
        name: 'countUserPosted, all kinds, 90 days',
        call: () => user(someUser(rows), DAYS, 'all'),
      },
      {
        name: 'countIpPosted, one kind, 7 days',
        call: () => address(someAddress(rows), 7, 'article'),
      },
      {
        name: 'countIpPosted, all kinds, 90 days',
        call: () => address(someAddress(rows), DAYS, 'all'),
      },
      { name: 'countUserPosted, a tenth of all, 7 days', call: () => user('heavy', 7, 'article') },
      { name: 'countUserPosted, a tenth of all, 90 days', call: () => user('heavy', DAYS, 'all') },
      {
        name: 'countIpPosted, a tenth of all, 90 days',
        call: () => address('192.0.2.1', DAYS, 'all'),
      },
    ];
  },
};

function someAddress(rows: number): string {
  const poster = Math.floor((Math.random() * rows) / ORDINARY);
  return `2001:db8:${(poster >> 16).toString(16)}:${(poster & 0xffff).toString(16)}::1`;
}
