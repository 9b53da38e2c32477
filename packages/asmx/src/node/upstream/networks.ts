import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { words } from '../../contract/words.ts';

/**
 * Networks that no server of the public Internet is in (IANA special-purpose registries, RFC 6890).
 */
const PRIVATE = words(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24',
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24',
  '224.0.0.0/4 240.0.0.0/4',
  // ::/96 is the compatible form of IPv4, ::ffff:0:0:0/96 its translated one; 64:ff9b:1::/48 is
  // what a network translates to IPv4 by itself (RFC 8215), and fec0::/10 what was private before
  // fc00::/7 (RFC 3879).
  '::/96 ::ffff:0:0:0/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16',
  'fc00::/7 fe80::/10 fec0::/10 ff00::/8',
);

/** Made for the first address: reading those of IPv6 is 1 % of a start. */
let privateNetworks: BlockList | undefined;

/** A host may not be connected to. The message is one sentence. */
export class PrivateNetworkError extends Error {
  override readonly name = 'PrivateNetworkError';

  constructor(host: string) {
    super(`${host} is in a private network that is not listed.`);
  }
}

/**
 * Which addresses may be connected to: all of the public Internet, and the private networks that
 * are listed.
 */
export class Networks {
  #allowed: BlockList;

  /**
   * @param allowed networks in CIDR form, or single addresses.
   * @throws {TypeError} for what is neither.
   */
  constructor(allowed: readonly string[] = []) {
    this.#allowed = blockList(allowed);
  }

  /** From now on other networks are allowed; connections that are open stay. @throws {TypeError} */
  allowOnly(allowed: readonly string[]): void {
    this.#allowed = blockList(allowed);
  }

  /** Whether an address may be connected to. */
  permits(address: string): boolean {
    const plain = embedded(address) ?? address;
    const family = isIP(plain);
    if (family === 0) return false;
    const kind = family === 4 ? 'ipv4' : 'ipv6';
    privateNetworks ??= blockList(PRIVATE);
    return !privateNetworks.check(plain, kind) || this.#allowed.check(plain, kind);
  }

  /**
   * Refuses an address that may not be connected to. Names are accepted; {@link lookup} checks
   * them.
   * @param host a name, or an address without brackets.
   * @throws {PrivateNetworkError}
   */
  assertHost(host: string): void {
    if (isIP(host) !== 0 && !this.permits(host)) throw new PrivateNetworkError(host);
  }

  /**
   * The `lookup` of a connection: looks a name up and hands on the addresses that may be connected
   * to, so that what is checked is what is connected to. Addresses are not looked up:
   * {@link assertHost} checks them.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const permitted = addresses.filter(({ address }) => this.permits(address));
      const [first] = permitted;
      if (first === undefined) return callback(new PrivateNetworkError(hostname), '', 0);
      return options.all ? callback(null, permitted) : callback(null, first.address, first.family);
    });
  };
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const bits = prefix === undefined ? most : Number(prefix);
    const wide = Number.isInteger(bits) && bits >= 0 && bits <= most && prefix !== '';
    if (family === 0 || !wide) {
      throw new TypeError(
        `${JSON.stringify(network)} is not a network such as 10.0.0.0/8 or fd00::/8.`,
      );
    }
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/**
 * The IPv4 address in one of IPv6: mapped (::ffff:a.b.c.d), translated (64:ff9b::, RFC 6052) or
 * 6to4 (2002::).
 */
function embedded(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = groupsOf(address);
  const last = [groups[6]!, groups[7]!] as const;
  const zeros = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  if (zeros(0, 5) && groups[5] === 0xffff) return dotted(...last);
  if (groups[0] === 0x64 && groups[1] === 0xff9b && zeros(2, 6)) return dotted(...last);
  if (groups[0] === 0x2002) return dotted(groups[1]!, groups[2]!);
  return undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser writes every form, with dots or a zone, as plain groups.
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [read(head), read(tail ?? '')];
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
