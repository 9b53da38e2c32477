/** Words that only the oldest rows have, and how many have each. */
const OLDEST = [
  ['zeppelin', 1],
  ['seldom', 1_000],
  ['bygone', 30_000],
] as const;

const ofOldest = OLDEST.map(
  ([word, count]) => `case when i < ${count} then '${word} ' else '' end`,
);

/** SQL of a text of a row `i`, short, with all that is looked for. */
export const TITLE = [
  ...ofOldest,
  `'Flat ' || i || ' place' || (i % 50) || ' street' || (i % 5000)`,
  `' 东京站前公寓' || case when i % 100 = 0 then '龙华' else '' end`,
  `case when i % 5 = 0 then ' élevator' else '' end`,
].join(' || ');

/** A longer one. */
export const TEXT = [
  `'Bright and quiet, near the park, street' || (i % 5000)`,
  `' 东京站前公寓出租，两室一厅，朝南，房'`,
].join(' || ');

/** What is looked for, and what of all rows has it; of kinds without texts nothing has. */
export const SEARCHES: readonly (readonly [about: string, words: string])[] = [
  ['none', 'zzzz'],
  ['the oldest one', 'zeppelin'],
  ['the oldest 1,000', 'seldom'],
  ['the oldest 30,000', 'bygone'],
  ['all', 'flat'],
  ['all, by the beginning of 50 words', 'plac'],
  ['one in 50', 'place49'],
  ['one in 5,000', 'street4999'],
  ['none, of two frequent words', 'place49 zeppelin'],
  ['one in 5 by one letter', 'e'],
  ['the oldest one by its key', '0000000000'],
  ['a number', '500000'],
  ['all by one Chinese character', '京'],
  ['one in 100 by one', '龙'],
  ['one in 100 by two', '龙华'],
  ['all by five', '东京站前公'],
  ['an IP address', '192.0.2.77'],
  ['a mailbox', 'user77@example.com'],
  ['a mailbox of nobody', 'ada1@example.com'],
  ['a mailbox of a tenth', 'heavy@example.com'],
  ['a user of a tenth', 'heavy'],
  ['a phone number of a tenth', '+12125550100'],
  ['the last digits of 100 phone numbers', '0055'],
  ['the last digits of a tenth', '0100'],
  ['a request id', '01930b9e-0000-7000-8000-000000000000'],
  ['200 accents', 'é'.repeat(200)],
  ['200 Chinese characters', '东京站前公'.repeat(40)],
  [
    '100 letters',
    Array.from({ length: 100 }, (_, at) => String.fromCodePoint(0x61 + (at % 26))).join(' '),
  ],
  ['100 beginnings', 'f pl st b a 5 4 3 2 1 e m u h 京 东 站 前 公 寓 fl pla str ex us'],
  ['three letters', 'a b c'],
  ['the oldest one, and the beginning of 5,000 words', 'street zeppelin'],
  ['none, of two beginnings', 'st zz'],
  ['one in 5,000, and the beginning of a number', 'street4999 12'],
  ['joined frequent words', 'flat.place.street.flat.place.street.flat.place'],
  ['signs alone', '% _ * " \' NEAR( ) \\'],
];

/** What is also looked for with each filter; the first two with every two filters. */
export const WITH_FILTERS: readonly string[] = [
  ...['龙', 'street4999', '京', '龙华', 'e', 'flat', 'place49', 'bygone', 'seldom', 'zzzz'],
  ...['street bygone', 'place49 st'],
];
