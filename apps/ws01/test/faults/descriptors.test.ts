import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const FEW_DESCRIPTORS = fileURLToPath(new URL('../kit/few-descriptors.ts', import.meta.url));

/** The longest until an upload succeeds, one descriptor more being free each time; ms. Decoders that could not start wait. */
const PATIENCE_MS = 60_000;

it('a good image is never called unreadable for want of descriptors, however many are left', async (t) => {
  const env = { NODE_OPTIONS: `--import=${FEW_DESCRIPTORS}`, RATE_LIMITS: 'off' };
  const service = await spawnService(t, await freshDatabase('sqlite', t), env, 'ulimit -n 300');
  // A connection that is there already: a new one needs a descriptor itself.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const upload = async (key: string) => {
    const form = { verifyCode: TOKEN, FileGuid: key, FileImg: blackPng(8, 8).toString('base64') };
    const body = new URLSearchParams(form).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(body) };
    const call = request(`${service.url}/WS01.asmx/InsertArticleImageFile`, { method: 'POST', agent, headers });
    call.end(body);
    const [response] = await once(call, 'response');
    let text = '';
    for await (const piece of response) text += piece;
    return { status: response.statusCode as number, code: response.headers['x-error-code'], text };
  };
  assert.equal(await (await fetch(`${service.url}/readyz`, { headers: { Connection: 'close' } })).text(), 'ready\n');
  const first = await new Promise<void>((resolve, reject) => {
    const call = request(`${service.url}/healthz`, { agent }, (response) => response.resume().on('end', resolve));
    call.on('error', reject).end();
  });
  assert.equal(first, undefined);
  const refused = new Set<unknown>();
  const deadline = Date.now() + PATIENCE_MS;
  for (let free = 0; ; free++) {
    assert.ok(Date.now() < deadline, [...refused].join());
    service.child.kill('SIGUSR2');
    const { status, code, text } = await upload(`image-${free}`);
    if (status === 200) {
      assert.match(text, />true</, `${free} descriptors free: ${text}`);
      break;
    }
    assert.ok(code === 'StorageUnavailable' || code === 'Busy', `${free} descriptors free: ${status} ${code} ${text}`);
    refused.add(code);
    await pause(20);
  }
  assert.ok(refused.size > 0);
  // It has found its way back: as many as it needs, one after the other.
  assert.equal((await upload('after')).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
});
