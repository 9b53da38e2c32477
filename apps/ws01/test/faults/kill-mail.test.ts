import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

/** Kills of `kill -9`; `KILLS=50` for the long run. */
const KILLS = Number(process.env.KILLS ?? 8);
const MAILS_A_ROUND = 20;

/** How long after the last kill every mail must have arrived: more than a lease and a retry; ms. */
const PATIENCE_MS = 60_000;

it(`two nodes on PostgreSQL, ${KILLS} times kill -9 amid sending: every accepted mail arrives`, async (t) => {
  const database = await freshDatabase('postgres', t);
  const server = await startMailServer(t);
  // Sending takes a while, so that kills fall into it: before the message, amid it, before its acknowledgement.
  server.behave('accept-late');
  const env = { SMTP_URL: `${server.url}?connections=3`, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' };
  const nodes: ServiceProcess[] = [await spawnService(t, database, env), await spawnService(t, database, env)];
  const accepted = new Set<string>();
  let serial = 0;

  const send = async (node: ServiceProcess): Promise<void> => {
    const body = `mail ${serial++}`;
    const receiverEmail = `r${serial}@example.com`;
    try {
      const answer = await TEST_BINDINGS[serial % TEST_BINDINGS.length]!.call(node.url, 'SendEmail', {
        authorizationUserId: TOKEN,
        receiverName: 'Grace',
        receiverEmail,
        subject: 'Subject',
        body,
      });
      if (answer.status === 200) accepted.add(answer.result!);
    } catch {
      // The node died before it answered: not accepted, though it may arrive.
    }
  };

  for (let kill = 0; kill < KILLS; kill++) {
    const victim = kill % 2;
    const calls = Array.from({ length: MAILS_A_ROUND }, (_, index) => send(nodes[index % 2]!));
    // Places spread over what the node does: taking calls, claiming, connecting, sending, writing down.
    await sleep((kill * 37) % 150);
    await nodes[victim]!.end('SIGKILL');
    await Promise.all(calls);
    nodes[victim] = await spawnService(t, database, env);
  }

  const arrived = () =>
    new Set(server.received.map(({ headers }) => /<([^@]+)@/.exec(headers.get('message-id')!)![1]!));
  const missing = () => [...accepted].filter((id) => !arrived().has(id));
  for (let waited = 0; missing().length > 0 && waited < PATIENCE_MS; waited += 250) await sleep(250);
  assert.deepEqual(missing(), []);

  const store = await database.open();
  const states = () => store.read((db) => db.selectFrom('outbox').select(['id', 'state', 'attempts']).execute());
  for (let waited = 0; (await states()).some(({ state }) => state !== 'sent') && waited < PATIENCE_MS; waited += 250) {
    await sleep(250);
  }
  const rows = await states();
  assert.deepEqual(
    rows.filter(({ state }) => state !== 'sent'),
    [],
  );
  assert.ok(accepted.size > 0 && [...accepted].every((id) => rows.some((row) => row.id === id)));

  // A mail arrived more often than once only where an attempt was begun more often than once: the acknowledgement of
  // the earlier one died with its node. A node has at most three mails under way.
  const copies = Map.groupBy(server.received, ({ headers }) => headers.get('message-id')!);
  const repeated = [...copies].filter(([, mails]) => mails.length > 1);
  for (const [messageId, mails] of repeated) {
    const row = rows.find(({ id }) => messageId.includes(id));
    assert.ok(mails.length <= row!.attempts, messageId);
    for (const mail of mails) assert.equal(mail.raw, mails[0]!.raw);
  }
  assert.ok(repeated.length <= KILLS * 3, `${repeated.length} repeated`);
  t.diagnostic(
    `${accepted.size} accepted, ${rows.length} queued, ${server.received.length} arrived, ${repeated.length} twice`,
  );
});
