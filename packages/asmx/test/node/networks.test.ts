import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { words } from '../../src/contract/words.ts';
import { Networks } from '../../src/node/upstream/networks.ts';

const PRIVATE = words(
  '127.0.0.1 127.255.255.255 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254',
  '100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 198.18.0.1 ::1 :: fe80::1 fc00::1 fdff::1',
  'ff02::1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::10.0.0.1 2002:7f00:1:: 2001:db8::1',
  '::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b:1::7f00:1 fec0::1',
);
const PUBLIC = words(
  '8.8.8.8 172.32.0.1 172.15.255.255 9.255.255.255 2606:4700::1111 ::ffff:8.8.8.8 2002:808:808::',
);

describe('networks', () => {
  test('of the public Internet may be connected to, private ones may not', () => {
    const networks = new Networks();
    assert.deepEqual(
      PRIVATE.filter((address) => networks.permits(address)),
      [],
    );
    assert.deepEqual(
      PUBLIC.filter((address) => !networks.permits(address)),
      [],
    );
  });

  test('that are listed may, and no more', () => {
    const networks = new Networks(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
    for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:10.1.2.3', 'fd00::1', 'fdff::1'])
      assert.ok(networks.permits(address), address);
    for (const address of ['10.2.0.1', '127.0.0.2', 'fc00::1', '::1'])
      assert.ok(!networks.permits(address), address);
  });

  test('that are none are told', () => {
    for (const wrong of [
      ...words('10.0.0.0/33 localhost 10.0.0/8 ::/129 10.0.0.0/ 1.2.3.4/x'),
      '',
    ]) {
      assert.throws(() => new Networks([wrong]), {
        message: `${JSON.stringify(wrong)} is not a network such as 10.0.0.0/8 or fd00::/8.`,
      });
    }
    assert.equal(new Networks().permits('not an address'), false);
  });
});
