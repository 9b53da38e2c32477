import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recordAudit } from '../../src/domain/audit.ts';
import { NOW, OBSERVED } from '../kit/articles.ts';
import { forEachEngine } from '../kit/database.ts';

forEachEngine((_, fresh) => {
  it('the trail tells who did what, on what, from where and when', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write(async (tx) => {
      const target = { kind: 'article', key: '文' };
      const details = { from: null, to: '<&>"\n漢', count: 1, forced: true };
      await recordAudit(tx, { at: NOW, tokenId: 't-1', action: 'article.pin', target, address: OBSERVED, details });
      const all = { kind: 'user', key: undefined };
      await recordAudit(tx, {
        at: NOW + 1,
        tokenId: undefined,
        action: 'user.import',
        target: all,
        address: undefined,
      });
    });
    const rows = await store.read((db) => db.selectFrom('audit').selectAll().orderBy('at').execute());
    assert.notEqual(rows[0]?.id, rows[1]?.id);
    assert.deepEqual(
      rows.map(({ id: _, ...row }) => row),
      [
        {
          at: NOW,
          token_id: 't-1',
          action: 'article.pin',
          target_kind: 'article',
          target_key: '文',
          address: OBSERVED,
          details: '{"from":null,"to":"<&>\\"\\n漢","count":1,"forced":true}',
        },
        {
          at: NOW + 1,
          token_id: null,
          action: 'user.import',
          target_kind: 'user',
          target_key: null,
          address: null,
          details: '{}',
        },
      ],
    );
  });

  it('a change that is undone leaves no row in the trail', async (t) => {
    const store = await (await fresh(t)).open();
    const undone = store.write(async (tx) => {
      const target = { kind: 'article', key: 'a' };
      await recordAudit(tx, { at: NOW, tokenId: 't-1', action: 'article.trash', target, address: OBSERVED });
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(await store.read((db) => db.selectFrom('audit').selectAll().execute()), []);
  });
});
