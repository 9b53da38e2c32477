import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { newSecret, signatureOf } from '../../src/domain/webhooks/signature.ts';

it('an old secret signs for a day after its rotation, and not by a clock that was ahead', () => {
  const now = Date.UTC(2026, 0, 1);
  const signedBy = (until: number) => {
    const secrets = [
      { secret: newSecret(), until: null },
      { secret: newSecret(), until },
    ];
    return signatureOf(secrets, now, { id: 'x', timestamp: now / 1000, body: '{}' }).split(' ')
      .length;
  };
  assert.deepEqual([now + 1, now + DAY_MS, now, now + 10 * DAY_MS].map(signedBy), [2, 2, 1, 1]);
});
