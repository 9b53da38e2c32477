import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { enqueue } from '../apps/ws01/src/domain/outbox/rows.ts';
import { newKey } from '../apps/ws01/src/domain/values/keys.ts';
import { openStore } from '../apps/ws01/src/store/open.ts';

export const summary = 'ws01 mail retry --all over 10,000 kept mails: mails a second, memory of the command [mails]';

const BODY = `<p>${'Somebody answered your advert. 有人回复了您的广告。 '.repeat(40)}</p>`;
const CHUNK = 500;
const SAMPLE_MS = 250;

export async function run([mails = '10000']: readonly string[]): Promise<void> {
  const count = Number(mails);
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-bench-mail-'));
  try {
    await keepMails(dataDir, count);
    await drain(dataDir, count);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function keepMails(dataDir: string, count: number): Promise<void> {
  const store = await openStore({ dataDir });
  for (let done = 0; done < count; done += CHUNK) {
    await store.write(async (tx) => {
      for (let at = done; at < Math.min(done + CHUNK, count); at++) {
        const id = newKey();
        const created_at = Date.now();
        const receiver = `r${at}@example.com`;
        await tx
          .insertInto('mails')
          .values({
            id,
            sender: 'ada',
            ip: '127.0.0.1',
            receiver_name: 'Grace 漢字',
            receiver_email: receiver,
            receiver_key: receiver,
            subject: `Your advert ${at}`,
            body: BODY,
            message_id: `<${id}@ws01.example>`,
            created_at,
          })
          .execute();
        await enqueue(tx, { id, kind: 'mail', state: 'kept', createdAt: created_at, giveUpAt: created_at });
      }
    });
  }
  await store.close();
}

async function drain(dataDir: string, count: number): Promise<void> {
  let received = 0;
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData(stream, _session, done) {
      stream.on('end', () => {
        received++;
        done();
      });
      stream.resume();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const child = spawn(process.execPath, ['bin/ws01.js', 'mail', 'retry', '--all'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, SMTP_URL: `smtp://127.0.0.1:${port}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const samples: { readonly received: number; readonly mib: number }[] = [];
  const sampling = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const kib = /VmRSS:\s+(\d+)/.exec(status)?.[1];
    if (kib !== undefined) samples.push({ received, mib: Math.round(Number(kib) / 1024) });
  }, SAMPLE_MS);
  const started = performance.now();
  await once(child, 'exit');
  const seconds = (performance.now() - started) / 1000;
  clearInterval(sampling);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  console.log(`${received} of ${count} mails in ${seconds.toFixed(1)} s, ${Math.round(received / seconds)} a second`);
  console.log('memory of the command (resident, MiB) when so many had arrived:');
  for (let part = 1; part <= 10; part++) {
    const sample = samples.find((one) => one.received >= (count * part) / 10) ?? samples.at(-1);
    if (sample !== undefined) console.log(`  ${String(sample.received).padStart(6)}  ${sample.mib}`);
  }
}
