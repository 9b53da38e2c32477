import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { it } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { freshDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { blackPng } from '../kit/images/containers.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const FEW_DESCRIPTORS = new URL('../kit/few-descriptors.ts', import.meta.url).href;

/** More than a whole upload takes, with its decoder's pipes. */
const MOST_FREE = 60;

/** How often it is tried with as many: a descriptor that each refusal keeps for good would soon be missed. */
const TRIES = BY_NIGHT ? 4 : 2;

it('a good image is never called unreadable for want of descriptors, however many are left', async (t) => {
  const env = { ...processEnv({}, FEW_DESCRIPTORS), RATE_LIMITS: 'off' };
  const service = await spawnService(t, await freshDatabase('sqlite', t), env, 'ulimit -n 300');
  // A connection that is there already: a new one needs a descriptor itself.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const upload = async (key: string) => {
    const form = { verifyCode: TOKEN, FileGuid: key, FileImg: blackPng(8, 8).toString('base64') };
    const body = new URLSearchParams(form).toString();
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(body),
    };
    const call = request(`${service.url}/WS01.asmx/InsertArticleImageFile`, {
      method: 'POST',
      agent,
      headers,
    });
    call.end(body);
    const [response] = await once(call, 'response');
    let text = '';
    for await (const piece of response) text += piece;
    return { status: response.statusCode as number, code: response.headers['x-error-code'], text };
  };
  // A part that a busy machine has not answer in time counts as degraded.
  await until(async () => {
    const answer = await fetch(`${service.url}/readyz`, { headers: { Connection: 'close' } });
    return (await answer.text()) === 'ready\n';
  });
  const heard = async () => {
    const [response] = await once(request(`${service.url}/healthz`, { agent }).end(), 'response');
    await once(response.resume(), 'end');
  };
  await heard();
  const refused = new Set<unknown>();
  let stored = false;
  for (let free = 0; !stored; free++) {
    assert.ok(free <= MOST_FREE, `with ${free} descriptors free: ${[...refused].join()}`);
    service.child.kill('SIGUSR2');
    await heard();
    for (let attempt = 0; attempt < TRIES && !stored; attempt++) {
      const { status, code, text } = await upload(`image-${free}-${attempt}`);
      stored = status === 200;
      const told = `${free} descriptors free: ${status} ${code} ${text}`;
      if (stored) assert.match(text, />true</, told);
      else assert.ok(code === 'StorageUnavailable' || code === 'Busy', told);
      if (!stored) refused.add(code);
    }
  }
  assert.ok(refused.size > 0);
  // It has found its way back: as many as it needs, one after the other.
  assert.equal((await upload('after')).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
});
