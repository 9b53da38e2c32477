import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { createPictureAnswers } from '../../src/web/image-answers.ts';

it('what was opened for a client that has left is closed, though no piece was asked for', async () => {
  let closed = 0;
  const pieces = { destroy: () => closed++, async *[Symbol.asyncIterator]() {} };
  const medium = {
    ...{ contentType: 'image/png', bytes: 1, tag: 'a', storedAt: 0, varies: false },
    ...{ standsIn: false, piece: () => undefined, pieces: async () => pieces },
  };
  const request = { method: 'GET', target: '/', headers: {}, remoteAddress: '' };
  const { stream } = await createPictureAnswers(pino({ level: 'silent' }))(
    async () => ({ kind: 'found', medium }),
    '',
    { ...request, requestId: () => '' },
  );
  await stream!.open(AbortSignal.abort());
  assert.equal(closed, 1);
  const later = new AbortController();
  await stream!.open(later.signal);
  later.abort();
  assert.equal(closed, 2);
});
