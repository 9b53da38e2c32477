import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import {
  createClientAddress,
  networkOf,
  parseAddressLiteral,
  siteNetworkOf,
} from '../../../src/domain/values/internet-address.ts';

const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});

describe('internet addresses', () => {
  it('of IPv4 are read as Node reads them', () => {
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.stringMatching(/^[0-9.]{0,17}$/),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const expected = isIP(text.trim()) === 4 ? text.trim() : undefined;
        if (!text.includes(':')) assert.equal(parseAddressLiteral(text), expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('of IPv6 are written as RFC 5952 says, and URLs with it', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const text = parts
          .map((part) => part.toString(16).toUpperCase().padStart(4, '0'))
          .join(':');
        const address = parseAddressLiteral(text)!;
        assert.equal(address, parseAddressLiteral(address));
        if (address.includes(':'))
          assert.equal(address, new URL(`http://[${text}]/`).hostname.slice(1, -1));
      }),
    );
  });

  it('of IPv6 are known in every form', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const address = parseAddressLiteral(text);
        assert.ok(address !== undefined && isIP(address) > 0, text);
      }),
    );
  });

  it('mapped into IPv6 are the IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
        for (const form of [
          `::ffff:${address}`,
          `::FFFF:${address}`,
          `0:0:0:0:0:ffff:${address}`,
        ]) {
          assert.equal(parseAddressLiteral(form), address);
        }
        assert.equal(
          parseAddressLiteral(`::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`),
          address,
        );
      }),
    );
  });

  it('never crash on any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789abcf.:%[]/ ,x', '\0', '😀') }),
        (text) => {
          const address = parseAddressLiteral(text);
          assert.ok(address === undefined || isIP(address) > 0);
        },
      ),
      { numRuns: 2000 },
    );
    assert.equal(parseAddressLiteral('1'.repeat(1_000_000)), undefined);
    assert.equal(parseAddressLiteral('0:'.repeat(500_000)), undefined);
  });

  it('count as their network: IPv4 alone, IPv6 with its /64', () => {
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7');
    assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
    assert.equal(networkOf('2001:db8::1'), '2001:db8::/64');
    assert.equal(networkOf('::1'), '::/64');
    fc.assert(
      fc.property(groups, groups, (left, right) => {
        fc.pre(left.slice(0, 5).some((part) => part !== 0));
        const textOf = (parts: readonly number[]) =>
          parts.map((part) => part.toString(16)).join(':');
        const first = parseAddressLiteral(textOf(left))!;
        const neighbour = parseAddressLiteral(textOf([...left.slice(0, 4), ...right.slice(4)]))!;
        fc.pre(first.includes(':') && neighbour.includes(':'));
        assert.equal(networkOf(first), networkOf(neighbour));
      }),
    );
  });

  it('belong to sites: an IPv4 /24, an IPv6 /48', () => {
    assert.equal(siteNetworkOf('203.0.113.7'), '203.0.113.0/24');
    assert.equal(siteNetworkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1::/48');
    assert.equal(siteNetworkOf('::1'), '::/48');
  });
});

describe('the client address', () => {
  const clientAddress = createClientAddress(['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8']);

  it('is the peer where no proxy is trusted', () => {
    const direct = createClientAddress([]);
    assert.equal(direct('203.0.113.7', '198.51.100.2'), '203.0.113.7');
    assert.equal(direct('::ffff:203.0.113.7', undefined), '203.0.113.7');
    assert.equal(direct('fe80::1%eth0', undefined), 'fe80::1');
    assert.equal(direct('', '198.51.100.2'), '');
  });

  it('is what the nearest untrusted hop is', () => {
    const cases = [
      ['203.0.113.7', '198.51.100.2', '203.0.113.7', 'the peer is no proxy of ours'],
      ['10.0.0.1', undefined, '10.0.0.1', 'no header'],
      ['10.0.0.1', '', '10.0.0.1', 'an empty header'],
      ['10.0.0.1', '198.51.100.2', '198.51.100.2', 'one proxy'],
      ['::ffff:10.0.0.1', '198.51.100.2', '198.51.100.2', 'on a dual-stack socket'],
      ['fd00::1', '2001:DB8::2', '2001:db8::2', 'IPv6'],
      ['10.0.0.1', '198.51.100.2, 10.0.0.3,10.0.0.2', '198.51.100.2', 'a chain of proxies'],
      ['10.0.0.1', '192.0.2.1, 198.51.100.2', '198.51.100.2', 'the client forged an entry'],
      ['10.0.0.1', '198.51.100.2, unknown', '10.0.0.1', 'a proxy does not know'],
      [
        '10.0.0.1',
        '198.51.100.2, unknown, 10.0.0.2',
        '10.0.0.2',
        'a proxy further out does not know',
      ],
      ['10.0.0.1', '198.51.100.2:4711', '198.51.100.2', 'with a port, as IIS writes it'],
      ['10.0.0.1', '[2001:db8::2]:4711', '2001:db8::2', 'IPv6 with a port'],
      ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'a client inside'],
      ['10.0.0.1', '198.51.100.2,', '10.0.0.1', 'an empty last entry'],
      ['10.0.0.1', ',198.51.100.2', '198.51.100.2', 'an empty first entry'],
    ] as const;
    for (const [peer, header, expected, what] of cases)
      assert.equal(clientAddress(peer, header), expected, what);
  });

  it('cannot be forged by what the client puts in front', () => {
    const forged = fc
      .array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 6 })
      .map((entries) => entries.join(', '));
    fc.assert(
      fc.property(forged, fc.integer({ min: 0, max: 3 }), (prefix, proxies) => {
        const hops = Array.from({ length: proxies }, (_, hop) => `10.0.0.${hop + 2}`);
        assert.equal(
          clientAddress('10.0.0.1', [prefix, '198.51.100.2', ...hops].join(', ')),
          '198.51.100.2',
        );
      }),
    );
  });

  it('keeps nothing of the header that it was read from', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const forged = 'x'.repeat(100_000);
    const heapWith = (entry: string) => {
      collect();
      const before = process.memoryUsage().heapUsed;
      const kept = Array.from({ length: 500 }, (_, index) =>
        clientAddress('10.0.0.1', `${forged}${index},${entry}`),
      );
      collect();
      const grown = process.memoryUsage().heapUsed - before;
      assert.equal(kept.length, 500);
      return grown;
    };
    // 500 headers are 50 MB.
    for (const entry of ['198.51.100.222', '[2001:db8:1:2:3:4:5:6]:80', '::ffff:198.51.100.222']) {
      const grown = heapWith(entry);
      assert.ok(grown < 5_000_000, `${entry}: ${grown} bytes`);
    }
  });

  it('takes a network that is none as a defect of the configuration', () => {
    assert.throws(() => createClientAddress(['10.0.0.0']));
    assert.throws(() => createClientAddress(['proxy.internal/8']));
  });
});
