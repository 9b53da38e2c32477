import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import type { Caller } from '../../../src/domain/context.ts';
import {
  ADA,
  ADMIN,
  type ArticleDesk,
  BOB,
  checkRules,
  NOW,
  type Rules,
  SERVICE,
} from '../../kit/articles.ts';
import { forBothEngines } from '../../kit/database.ts';
import { refused } from '../../kit/refused.ts';

const ZERO = '00000000-0000-0000-0000-000000000000';
const NOT_FOUND = { code: 'NotFound', parameter: 'guid' };

/** What holds of operations 8 and 18 alike. */
function changing(
  change: (desk: ArticleDesk, guid: string | undefined, caller: Caller) => Promise<string>,
): Rules {
  return {
    'returns the canonical key': async (desk, guid) => {
      await desk.insert({ guid, caption: 'c' });
      assert.equal(await change(desk, `{${guid.toUpperCase()}}`, SERVICE), guid);
    },

    'guid is required': async (desk) => {
      for (const guid of [undefined, '', ZERO]) {
        await refused(change(desk, guid, SERVICE), 'MissingParameter', 'guid');
      }
    },

    'unknown: NotFound; nothing comes into being': async (desk, guid) => {
      for (const caller of [SERVICE, ADMIN, ADA]) {
        await assert.rejects(change(desk, guid, caller), NOT_FOUND);
      }
      assert.equal(await desk.exists('articles', guid), false);
      assert.deepEqual(await desk.audit(guid), []);
    },

    'in the trash: NotFound for everybody, and it stays there unchanged': async (desk, guid) => {
      await desk.insert({ guid, caption: 'c' }, ADA);
      await desk.delete(guid, ADA);
      const before = await desk.everything(guid);
      for (const caller of [SERVICE, ADMIN, ADA, BOB]) {
        await assert.rejects(change(desk, guid, caller), NOT_FOUND);
      }
      assert.deepEqual(await desk.everything(guid), before);
    },

    'service and admin tokens: any article, its owner is not compared': async (desk, guid) => {
      for (const caller of [SERVICE, ADMIN]) {
        const key = `${guid}-${caller.kind}`;
        await desk.insert({ guid: key, caption: 'c' }, ADA);
        desk.now += 1000;
        await change(desk, key, caller);
        assert.equal((await desk.audit(key)).at(-1)!.token_id, caller.tokenId);
      }
    },

    'user token: its own; another’s and an ownerless one are NotFound, in the words of an unknown one':
      async (desk, guid) => {
        await desk.insert({ guid, caption: 'c' }, ADA);
        await desk.insert({ guid: `${guid}-1`, caption: 'c' });
        const unknown = await change(desk, `${guid}-2`, BOB).catch((error: Error) => error.message);
        for (const key of [guid, `${guid}-1`]) {
          await assert.rejects(change(desk, key, BOB), { ...NOT_FOUND, message: unknown });
        }
        await change(desk, guid, ADA);
      },
  };
}

const pinning: Rules = {
  'pins until the instant, past or future; not given unpins': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' });
    for (const until of [NOW + DAY_MS, NOW - DAY_MS, undefined]) {
      desk.now += 1000;
      await desk.pin(guid, until);
      await desk.sees(guid, { pinned_until: until ?? null, updated_at: desk.now });
    }
  },

  'is no revision: the trail has the earlier instant': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' });
    desk.now += 1000;
    await desk.pin(guid, NOW);
    desk.now += 1000;
    await desk.pin(guid, undefined);
    assert.equal((await desk.article(guid)).revision, 1);
    assert.deepEqual(await desk.revisions(guid), []);
    const trail = await desk.audit(guid);
    assert.deepEqual(
      trail.map(({ action, details }) => [action, details]),
      [
        ['article.create', '{"revision":1}'],
        ['article.pin', '{"from":null,"to":"2026-11-21T12:00:00.000Z"}'],
        ['article.pin', '{"from":"2026-11-21T12:00:00.000Z","to":null}'],
      ],
    );
  },

  'the same again writes nothing': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' });
    await desk.pin(guid, NOW + DAY_MS);
    const before = await desk.everything(guid);
    desk.now += 1000;
    assert.equal(await desk.pin(guid, NOW + DAY_MS), guid);
    assert.deepEqual(await desk.everything(guid), before);
  },
};

const categorising: Rules = {
  'moves to a category, which exists from first use; empty is none': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', content: 't', categoryGuid: 'x' });
    await desk.categorise(guid, `{${guid.toUpperCase()}}`);
    assert.equal((await desk.article(guid)).category_key, guid);
    assert.equal(await desk.exists('categories', guid), true);
    for (const none of ['', ZERO, undefined]) {
      await desk.categorise(guid, 'x');
      await desk.categorise(guid, none);
      assert.equal((await desk.article(guid)).category_key, null);
    }
  },

  'deletes nothing, whatever its description says': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', content: 't' });
    desk.now += 1000;
    await desk.categorise(guid, 'x');
    await desk.sees(guid, {
      caption: 'c',
      content: 't',
      deleted_at: null,
      revision: 1,
    });
    assert.equal((await desk.audit(guid)).at(-1)!.details, '{"from":null,"to":"x"}');
  },

  'the same again writes nothing': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' });
    await desk.categorise(guid, 'x');
    const before = await desk.everything(guid);
    desk.now += 1000;
    assert.equal(await desk.categorise(guid, ' x '), guid);
    assert.deepEqual(await desk.everything(guid), before);
  },

  'a category of the wrong form is InvalidParameter; guid is judged first': async (desk) => {
    await refused(desk.categorise('unknown', 'a\nb'), 'InvalidParameter', 'cateId');
    await refused(desk.categorise('', 'a\nb'), 'MissingParameter', 'guid');
  },

  'a refused call brings no category into being': async (desk, guid) => {
    await assert.rejects(desk.categorise(guid, guid), NOT_FOUND);
    assert.equal(await desk.exists('categories', guid), false);
  },
};

forBothEngines((_, fresh) => {
  const pin = changing((desk, guid, caller) => desk.pin(guid, NOW + DAY_MS, caller));
  it('UpdatePinnedTopDueDateByGuid', (t) => checkRules(t, fresh, { ...pinning, ...pin }));
  const categorise = changing((desk, guid, caller) => desk.categorise(guid, 'new', caller));
  it('UpdateArticleCategory', (t) => checkRules(t, fresh, { ...categorising, ...categorise }));
});
