import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { EventFeed } from '../../src/domain/events/feed.ts';
import { LiveStreams } from '../../src/domain/events/live-streams.ts';
import { forBothEngines } from '../kit/database.ts';

/** Events that wait when a client comes: more than a stream gives at once. */
const EVENTS = 500;

const placesIn = (text: string) =>
  [...text.matchAll(/^id: (\d+)$/gm)].map(([, place]) => Number(place));

forBothEngines((_engine, fresh) => {
  it('for a client that does not read nothing is kept; it is cut, and goes on where it was', async (t) => {
    const store = await (await fresh(t)).open();
    const rows = Array.from({ length: EVENTS }, (_, index) => ({
      ...{
        id: `event-${index}`,
        seq: index + 1,
        at: 1,
        type: 'article.create',
        kind: 'article',
        key: `a-${index}`,
      },
      ...{ data: '{}', request_id: null },
    }));
    await store.write(async (tx) => {
      await tx.insertInto('events').values(rows).execute();
      await tx.updateTable('event_sequence').set({ last: EVENTS }).execute();
    });
    const streams = new LiveStreams({ most: 2, perPerson: 2 }, 100);
    t.after(() => streams.close());
    const feed = new EventFeed(store, streams);
    let pieces = 0;
    const judge = async () => void pieces++;
    const watcher = { judge, person: 'token 1' };
    const reader = (await feed.stream('0', watcher)).getReader();
    const read = async () => placesIn(Buffer.from((await reader.read()).value ?? []).toString());
    assert.deepEqual(await read(), [], 'how soon to come again');
    const known = await read();
    assert.deepEqual([known[0], known.length], [1, 50]);

    // It reads no more: of ten pieces two are made at most, one under way and one that waits.
    let cut: unknown;
    reader.closed.catch((error) => {
      cut = error;
    });
    await until(() => cut !== undefined);
    assert.match(String(cut), /does not read/);
    assert.ok(pieces <= 3, `${pieces} pieces were made`);

    const again = (await feed.stream(String(known.at(-1)), watcher)).getReader();
    await again.read();
    const next = placesIn(Buffer.from((await again.read()).value ?? []).toString());
    assert.equal(next[0], 51, 'nothing was lost');
    await again.cancel();
    // Both have given their places back.
    const both = [await feed.stream('0', watcher), await feed.stream('0', watcher)];
    for (const stream of both) await stream.cancel();
  });
});
