import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import sharp from 'sharp';
import { forEachEngine } from '../../kit/database.ts';
import { UPLOAD_WAYS } from '../../kit/images/uploads.ts';
import { startService, TOKEN } from '../../kit/service.ts';

forEachEngine((_engine, fresh) => {
  it('the same picture has the same hash and bytes in the store, whichever way it comes', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const;
    const picture = await sharp({
      create: { width: 120, height: 90, channels: 3, background: 'white', noise },
    })
      .jpeg()
      .toBuffer();
    const hash = createHash('sha256').update(picture).digest('hex');
    const store = await database.open();
    for (const [index, { name, send }] of UPLOAD_WAYS.entries()) {
      await t.test(name, async () => {
        const FileGuid = `picture-${index}`;
        const params = {
          verifyCode: TOKEN,
          FileGuid,
          Link_Guid: '',
          category: '猫 <&>',
          IsIcons: 'false',
          ip: '',
        };
        const answer = await send(url, params, picture);
        assert.deepEqual([answer.status, answer.result], [200, 'true'], answer.body);
        const row = await store.read((db) =>
          db
            .selectFrom('images')
            .innerJoin('image_files', 'image_files.hash', 'images.hash')
            .select(['images.hash', 'images.bytes', 'category', 'stored_as'])
            .where('guid', '=', FileGuid)
            .executeTakeFirstOrThrow(),
        );
        assert.deepEqual([row.hash, row.bytes, row.category], [hash, picture.length, '猫 <&>']);
        const { stored_as: name } = row;
        assert.deepEqual(
          await readFile(`${database.dataDir}/files/kept/${name.slice(0, 2)}/${name}`),
          picture,
        );
      });
    }
    const files = await store.read((db) => db.selectFrom('image_files').selectAll().execute());
    assert.equal(files.length, 1);
  });
});
