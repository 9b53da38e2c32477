import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../src/domain/context.ts';
import { originOf } from '../../src/domain/shared/ownership.ts';
import { ADA, ADMIN, OBSERVED, SERVICE } from '../kit/articles.ts';

const ANONYMOUS: Caller = { kind: 'anonymous', tokenId: undefined, userId: undefined };
const from = (caller: Caller) => ({ caller, address: OBSERVED, requestId: 'r-1' });

test('a trusted back end is believed, in canonical form', () => {
  for (const caller of [SERVICE, ADMIN]) {
    assert.deepEqual(originOf(from(caller), ' ::FFFF:203.0.113.7 '), {
      address: '203.0.113.7',
      claimed: undefined,
    });
    assert.deepEqual(originOf(from(caller), '2001:DB8:0:0::1'), {
      address: '2001:db8::1',
      claimed: undefined,
    });
  }
});

test('whoever else names an address is known by the one observed, and the claim is kept', () => {
  for (const caller of [ADA, ANONYMOUS]) {
    assert.deepEqual(originOf(from(caller), '203.0.113.7'), {
      address: OBSERVED,
      claimed: '203.0.113.7',
    });
  }
});

test('what is absent or no address counts as empty', () => {
  for (const caller of [SERVICE, ADA]) {
    for (const supplied of [
      undefined,
      '',
      ' ',
      'unknown',
      'unknown, 5.6.7.8',
      '1.2.3.4:',
      '1.2.3.4:123456',
      '[::1',
      '[1.2.3.4]x',
      '01.2.3.4',
      'fe80::1%eth0',
    ]) {
      assert.deepEqual(
        originOf(from(caller), supplied),
        { address: OBSERVED, claimed: undefined },
        String(supplied),
      );
    }
  }
});

test('a port is left out, and of a list the first counts', () => {
  for (const [supplied, address] of [
    ['1.2.3.4:80', '1.2.3.4'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['[::1]', '::1'],
    [' 1.2.3.4 , 5.6.7.8', '1.2.3.4'],
    ['1.2.3.4:80,unknown', '1.2.3.4'],
    ['2001:db8::80', '2001:db8::80'],
  ] as const) {
    assert.deepEqual(originOf(from(SERVICE), supplied), { address, claimed: undefined }, supplied);
  }
});

test('without a credential, a trusted back end is believed, and nobody else', () => {
  const anybody = { kind: 'anonymous', tokenId: undefined, userId: undefined } as const;
  assert.deepEqual(originOf({ ...from(anybody), isTrusted: true }, '1.2.3.4'), {
    address: '1.2.3.4',
    claimed: undefined,
  });
  assert.deepEqual(originOf(from(anybody), '1.2.3.4'), { address: OBSERVED, claimed: '1.2.3.4' });
  assert.deepEqual(originOf({ ...from(ADA), isTrusted: true }, '1.2.3.4'), {
    address: OBSERVED,
    claimed: '1.2.3.4',
  });
});
