import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachEngine } from '../../kit/database.ts';
import { openImageDesk } from '../../kit/images/desk.ts';

/** More than are looked at while other calls wait. */
const MANY = 1_020;

forEachEngine((_, fresh) => {
  it('a record or category of many images is listed as one of few, page by page', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.upload('first');
    const { id: _id, ...first } = (await desk.row('first'))!;
    const images = Array.from({ length: MANY + 30 }, (_, number) => ({
      ...first,
      guid: `image-${String(number).padStart(4, '0')}`,
      link_guid: number < MANY ? 'many' : 'few',
      category_key: number % 100 === 7 ? 'both' : number < MANY ? 'many' : null,
      linked_category: number % 50 === 7 ? 'both' : number < MANY ? null : 'few',
      is_icon: number % 3 === 0 ? (1 as const) : (0 as const),
      created_at: first.created_at + number,
    }));
    await desk.store.write((tx) => tx.insertInto('images').values(images).execute());

    type Image = (typeof images)[number];
    const inCategory = (key: string) => (image: Image) =>
      image.category_key === key || image.linked_category === key;
    const lists: readonly (readonly [Record<string, unknown>, (image: Image) => boolean])[] = [
      ...['many', 'few', 'none'].map(
        (key) => [{ linkGuid: key }, (image: Image) => image.link_guid === key] as const,
      ),
      ...['many', 'few', 'both', 'none'].map((key) => [{ nodeId: key }, inCategory(key)] as const),
      [
        { linkGuid: 'few', ImgIcon: true },
        (image) => image.link_guid === 'few' && image.is_icon === 1,
      ],
      [
        { linkGuid: 'many', ImgIcon: true },
        (image) => image.link_guid === 'many' && image.is_icon === 1,
      ],
      [
        { linkGuid: 'few', nodeId: 'both' },
        (image) => image.link_guid === 'few' && inCategory('both')(image),
      ],
    ];
    for (const [given, has] of lists) {
      const keys = images
        .filter(has)
        .map(({ guid }) => guid)
        .reverse();
      for (const pageindex of [1, 2, 3, 11, 12, 2_147_483_647]) {
        const asked = { ...given, orderBy: 'created', pagesize: 100, pageindex };
        const { items, total } = await desk.list(asked);
        const from = (pageindex - 1) * 100;
        assert.deepEqual(
          [items.map(({ fileGuid }) => fileGuid), total],
          [keys.slice(from, from + 100), keys.length],
          JSON.stringify(asked),
        );
        const bySize = await desk.list({ ...asked, orderBy: 'size' });
        assert.deepEqual(
          [bySize.items.length, bySize.total],
          [items.length, total],
          JSON.stringify(asked),
        );
      }
    }
  });
});
