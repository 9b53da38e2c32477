import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { followSettings } from '../../src/app/live-settings.ts';
import type { PeerMessage } from '../../src/app/peer-messages.ts';
import { loadConfig } from '../../src/config/config.ts';
import { forEachEngine } from '../kit/database.ts';

forEachEngine((_engine, fresh) => {
  test('a change of a setting holds in the process that made it, and in the others of the node without a wait', async (t) => {
    // The interval at which a process reads what others have changed does not pass.
    steerTime(t);
    const database = await fresh(t);
    const listeners: ((news: PeerMessage) => void)[] = [];
    const open = async () => {
      const store = await database.open({ guest: true });
      const peers = {
        tell: (news: PeerMessage) => listeners.forEach((listen) => void listen(news)),
        hear: (listen: (news: PeerMessage) => void) => void listeners.push(listen),
      };
      const settings = await followSettings(loadConfig({}), store, Date.now, peers);
      t.after(async () => {
        await settings.close();
        await store.close();
      });
      return settings;
    };
    const [one, other] = [await open(), await open()];
    const change = (value: string) =>
      one.change({
        changes: () => [{ variable: 'MAIL_KEPT_DAYS', value }],
        by: { tokenId: 'a', address: '127.0.0.1', requestId: undefined, reason: undefined },
      });
    for (const value of ['41', '42']) {
      assert.equal(await change(value), true);
      assert.equal(String(one.config.mailKeptDays), value);
      await until(() => String(other.config.mailKeptDays) === value);
    }
  });
});
