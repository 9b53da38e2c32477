import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { createOutgoing, type Outgoing } from '../../src/app/outgoing.ts';
import type { PeerMessage } from '../../src/app/peer-messages.ts';
import type { Peers } from '../../src/cluster/peers.ts';
import { loadConfig } from '../../src/config/config.ts';
import { EventFeed } from '../../src/domain/events/feed.ts';
import { LiveStreams } from '../../src/domain/events/live-streams.ts';
import { recordEvent } from '../../src/domain/events/record.ts';
import { CodeKeys } from '../../src/domain/phone/code-keys.ts';
import type { DependencyError } from '../../src/failure/dependency-error.ts';
import type { Store } from '../../src/store/store.ts';
import { forBothEngines } from '../kit/database.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { NOW, PhoneDesk } from '../kit/phone.ts';
import { SMS_SECRET } from '../kit/sms.ts';

/** Nobody listens there. */
const ABSENT = 'http://127.0.0.1:9/';

/** An interval that no test lives to see the end of; ms. */
const NEVER = 2 ** 31 - 1;

/** Processes that hear each other at once, as over their primary process. */
function companions(count: number): readonly Peers<PeerMessage>[] {
  const listeners: ((news: PeerMessage) => void)[][] = Array.from({ length: count }, () => []);
  return listeners.map((own) => ({
    onLead: () => {},
    tell(news) {
      for (const listen of listeners.filter((other) => other !== own).flat()) listen(news);
    },
    hear: (listen) => void own.push(listen),
  }));
}

forBothEngines((_engine, fresh) => {
  /** Two processes of one service with a gateway, of which the first one sends. */
  async function open(t: TestContext, url: string) {
    const both: Outgoing[] = [];
    // Before the database is closed, which what is under way still needs.
    t.after(() => Promise.all(both.map((outgoing) => outgoing.stop())));
    const database = await fresh(t);
    const store = await database.open();
    const config = loadConfig({
      DATA_DIR: database.dataDir,
      SMS_URL: url,
      SMS_SECRET,
    });
    let now = NOW;
    const desks: PhoneDesk[] = [];
    const peers = companions(3);
    for (const peer of peers.slice(0, 2)) {
      const log = pino({ level: 'silent' });
      const keys = new CodeKeys(store, config.codeSecret);
      const parts = {
        ...{
          config,
          store,
          clock: () => now,
          baseUrl: () => 'http://localhost',
          log,
          keys,
          peers: peer,
        },
        onNumbered: () => {},
      };
      const outgoing = await createOutgoing(parts);
      desks.push(new PhoneDesk(store, { deliver: outgoing.deliver! }));
      both.push(outgoing);
    }
    return {
      sender: both[0]!,
      other: both[1]!,
      desk: desks[1]!,
      third: peers[2]!,
      passTo(instant: number) {
        now = instant;
        for (const desk of desks) desk.now = now;
      },
    };
  }

  it('a process that does not send has its codes sent by the one that does', async (t) => {
    const gateway = await startHttpGateway(t);
    const { sender, other, desk } = await open(t, gateway.url);
    sender.start();
    const id = await desk.create();
    other.onQueued('sms');
    await until(() => gateway.calls.length > 0);
    assert.deepEqual(
      gateway.calls.map(({ body }) => JSON.parse(body).id),
      [id],
    );
  });

  it('an event is numbered and streamed at once by every process, whichever of them wrote it', async (t) => {
    const database = await fresh(t);
    const config = loadConfig({ DATA_DIR: database.dataDir });
    const processes: { outgoing: Outgoing; store: Store; text: () => string }[] = [];
    for (const peer of companions(2)) {
      // EVENTS_COMMITTED is of a process: one store stands for both.
      const store = processes[0]?.store ?? (await database.open());
      const streams = new LiveStreams({ most: 2, perPerson: 2 });
      const feed = new EventFeed(store, streams, NEVER);
      const outgoing = await createOutgoing({
        ...{
          config,
          store,
          clock: () => NOW,
          baseUrl: () => 'http://localhost',
          log: pino({ level: 'silent' }),
        },
        ...{ keys: new CodeKeys(store, config.codeSecret), peers: peer, sequenceEvery: NEVER },
        onNumbered: () => feed.wake(),
      });
      let text = '';
      const stream = await feed.stream('0', { judge: async () => {}, person: 'token 1' });
      const reading = (async () => {
        for await (const piece of stream) text += Buffer.from(piece);
      })();
      t.after(async () => {
        await outgoing.stop();
        streams.close();
        feed.wake();
        await reading;
      });
      processes.push({ outgoing, store, text: () => text });
    }
    processes[0]!.outgoing.start();
    for (const key of ['one', 'two', 'three']) {
      await processes[0]!.store.write((tx) =>
        recordEvent(tx, { at: NOW, type: 'test.done', kind: 'test', key }),
      );
      await until(() => processes.every(({ text }) => text().includes(`"${key}"`)));
    }
  });

  it('a process that does not send refuses codes while the gateway is out of reach, also one that has just come', async (t) => {
    const { sender, other, desk, third, passTo } = await open(t, ABSENT);
    let told: PeerMessage | undefined;
    third.hear((news) => {
      if (news.about === 'gateway') told = news;
    });
    sender.start();
    const create = () =>
      desk.create().then(
        () => 'taken',
        (error: DependencyError) => `${error.dependency} ${error.kind}`,
      );
    assert.equal(await create(), 'taken');
    // Each attempt fails at its time, until the gateway has been away for long.
    for (let failures = 1; ; failures++) {
      assert.ok(failures < 20, `${failures} attempts, and codes are still taken`);
      other.onQueued('sms');
      await until(() => told?.about === 'gateway' && told.outage.failures === failures);
      const outcome = await create();
      if (outcome !== 'taken') {
        assert.equal(outcome, 'sms unavailable');
        break;
      }
      passTo((told as PeerMessage & { about: 'gateway' }).outage.reopensAt);
    }
    told = undefined;
    third.tell({ about: 'joined' });
    assert.equal((told as PeerMessage | undefined)?.about, 'gateway');
  });
});
