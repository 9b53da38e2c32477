import type { Thing } from './pictures.ts';

/** The sample articles and adverts. */
interface Article {
  readonly guid: string;
  readonly owner: string;
  readonly category: string;
  readonly caption: string;
  readonly content: string;
  /** Its earlier content. */
  readonly earlier?: string;
  readonly picture: Thing;
  /** 0 published, 1 draft, 2 pending, 3 hidden. */
  readonly status?: number;
  readonly pinned?: true;
}

export const ARTICLES: readonly Article[] = [
  {
    guid: 'flat-park-street',
    owner: 'ada',
    category: 'housing',
    caption: 'Flat to let near the park, 两室一厅',
    content:
      'Two bright rooms with a balcony, third floor.\nQuiet house, five minutes to the tram.\nFree from the first of the month: 720 a month.',
    earlier:
      'Two bright rooms with a balcony, third floor.\nQuiet house, five minutes to the tram.\nFree now: 750 a month.',
    picture: 'house',
    pinned: true,
  },
  {
    guid: 'city-bicycle',
    owner: 'bob',
    category: 'bicycles',
    caption: 'City bicycle, hardly used',
    content: 'Seven gears, new brakes, a basket in front. Tried on Sundays only.',
    picture: 'bicycle',
  },
  {
    guid: 'upright-piano',
    owner: 'clara',
    category: 'music',
    caption: 'Upright piano from 1968',
    content: 'Tuned last spring. You carry it down from the second floor, I make the coffee.',
    earlier: 'Tuned last spring.',
    picture: 'piano',
  },
  {
    guid: 'green-sofa',
    owner: 'ada',
    category: 'furniture',
    caption: 'Green sofa for three',
    content: 'Velvet, no cats, no smoke. 2.10 m long: measure your stairs.',
    picture: 'sofa',
  },
  {
    guid: 'film-camera',
    owner: 'dmitri',
    category: 'photo',
    caption: 'Film camera with two lenses',
    content: '35 mm and 85 mm. The light meter is right, I compared.',
    picture: 'camera',
  },
  {
    guid: 'house-by-the-lake',
    owner: 'bob',
    category: 'housing',
    caption: 'House by the lake, weekends',
    content: 'Six beds and a boat. To be looked at by a moderator first.',
    picture: 'house',
    status: 2,
  },
];

export const ADVERTS = [
  {
    guid: 'piano-lessons',
    owner: 'clara',
    title: 'Piano lessons at home',
    detail: 'For beginners of every age.',
    category: 'music',
  },
  {
    guid: 'bicycle-repair',
    owner: 'bob',
    title: 'Bicycle repair while you wait',
    detail: 'Tuesdays to Saturdays.',
    category: 'bicycles',
  },
  {
    guid: 'spring-sale',
    owner: 'ada',
    title: 'Spring sale: everything must go',
    detail: 'Lamps, chairs and a rug.',
    category: 'furniture',
  },
  {
    guid: 'win-a-phone',
    owner: 'mallory',
    title: 'WIN A PHONE NOW!!! CLICK HERE',
    detail: 'You are our 1,000,000th visitor.',
    category: 'photo',
  },
] as const;

export const REVIEWS = [
  { of: 'flat-park-street', by: 'bob', positive: 'true', mark: '5' },
  {
    of: 'flat-park-street',
    by: 'clara',
    positive: 'true',
    mark: 'Friendly landlady, and the light is as she says.',
  },
  { of: 'city-bicycle', by: 'ada', positive: 'true', mark: '4' },
  { of: 'city-bicycle', by: 'dmitri', positive: 'false', mark: 'The brakes squeak.' },
  { of: 'upright-piano', by: 'bob', positive: 'true', mark: '4.5' },
  { of: 'green-sofa', by: 'dmitri', positive: 'true', mark: '3' },
] as const;

export const MAILS = [
  {
    to: 'bob@example.com',
    name: 'Bob',
    subject: 'Somebody wants your bicycle',
    body: '<h1>Good news, Bob</h1><p>Ada asks whether the <b>city bicycle</b> can be tried on Sunday.</p><p><a href="https://example.com/answer">Answer her</a></p>',
  },
  {
    to: 'clara@example.com',
    name: 'Clara',
    subject: 'Your advert is published',
    body: 'Dear Clara,\n\nyour advert "Piano lessons at home" is published.\n\nCorner Market',
  },
  {
    to: 'ada@example.com',
    name: 'Ada',
    subject: 'Welcome to Corner Market 欢迎',
    body: '<p>Welcome, Ada. 祝您愉快！</p>',
  },
] as const;
