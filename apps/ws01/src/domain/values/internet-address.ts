import ipaddr from 'ipaddr.js';

const MAPPED_PREFIX = '::ffff:';

/** Longest text of an IPv6 address. */
const MAX_LENGTH = 45;

/**
 * Reads one address literal (semantics 2).
 *
 * @returns its canonical text: IPv4 dotted, IPv6 compressed as in RFC 5952, v4-mapped addresses as IPv4; `undefined`
 *   for everything else, such as `unknown`, a list, an address with a port or a zone, or an empty text. It keeps nothing
 *   in memory of a longer text that it was read from.
 */
export function parseAddressLiteral(text: string): string | undefined {
  const address = readLiteral(text);
  return address === undefined ? undefined : copyOf(address);
}

function readLiteral(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  if (isIPv4(trimmed)) return trimmed;
  if (trimmed.startsWith(MAPPED_PREFIX) && isIPv4(trimmed.slice(MAPPED_PREFIX.length))) {
    return trimmed.slice(MAPPED_PREFIX.length);
  }
  if (!trimmed.includes(':') || trimmed.includes('%')) return undefined;
  try {
    return canonical(ipaddr.IPv6.parse(trimmed));
  } catch {
    return undefined;
  }
}

/**
 * The network that counts as one poster: an IPv4 address itself, an IPv6 address' /64 (semantics 5.16).
 *
 * @param address canonical, as {@link parseAddressLiteral} returns it.
 * @returns the address, or `2001:db8:0:1::/64`.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${canonical(new ipaddr.IPv6([...parts.slice(0, 4), 0, 0, 0, 0]))}/64`;
}

/**
 * The network that one organisation mostly has: an IPv4 /24, an IPv6 /48 (semantics 3).
 *
 * @param address canonical, as {@link parseAddressLiteral} returns it.
 * @returns `203.0.113.0/24` or `2001:db8:1::/48`.
 */
export function siteNetworkOf(address: string): string {
  if (!address.includes(':')) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${canonical(new ipaddr.IPv6([...parts.slice(0, 3), 0, 0, 0, 0, 0]))}/48`;
}

/** Whether an address literal names a machine that the public internet cannot reach: loopback, private, link-local and the like. */
export function isPrivateAddress(address: string): boolean {
  return ipaddr.process(address).range() !== 'unicast';
}

/**
 * Makes the function that tells whether an address is of a trusted network: a proxy's, or a back end's.
 * @param trusted networks in CIDR form; empty for none.
 * @throws {Error} when a network is not in CIDR form.
 */
export function createNetworkTrust(trusted: readonly string[]): (remoteAddress: string) => boolean {
  const isTrusted = withinNetworks(trusted);
  return (remoteAddress) => {
    if (trusted.length === 0) return false;
    const peer = peerAddress(remoteAddress);
    return peer !== '' && isTrusted(peer);
  };
}

/** @throws {Error} when a network is not in CIDR form. */
function withinNetworks(trusted: readonly string[]): (address: string) => boolean {
  const networks = trusted.map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    const parsed = ipaddr.parse(address);
    return networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
  };
}

/**
 * Makes the function that tells a request's client address. Where the peer is a trusted proxy, X-Forwarded-For is read
 * from right to left, over further trusted proxies, to the first address that none of them is; what a client itself
 * wrote into the header stands further left and is never reached.
 *
 * @param trusted networks in CIDR form, such as `10.0.0.0/8`; empty to believe no header.
 * @returns a function from the peer's address and the X-Forwarded-For header to the client's canonical address; an
 *   entry that is no address ends the walk at the proxy that wrote it.
 * @throws {Error} when a network is not in CIDR form.
 */
export function createClientAddress(
  trusted: readonly string[],
): (remoteAddress: string, forwardedFor: string | undefined) => string {
  const isTrusted = withinNetworks(trusted);
  return (remoteAddress, forwardedFor) => {
    const peer = peerAddress(remoteAddress);
    if (trusted.length === 0 || forwardedFor === undefined || peer === '') return peer;
    return walk(peer, forwardedFor, isTrusted);
  };
}

function walk(peer: string, forwardedFor: string, isTrusted: (address: string) => boolean): string {
  let client = peer;
  let end = forwardedFor.length;
  while (end >= 0 && isTrusted(client)) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const entry = forwardedEntry(forwardedFor.slice(comma + 1, end));
    if (entry === undefined) break;
    client = entry;
    end = comma;
  }
  return client;
}

/**
 * Reads the address that a call names (semantics 2, ip): a literal, also with a port behind it, as IIS, Azure and
 * `REMOTE_ADDR:REMOTE_PORT` have it; of a list, as in `X-Forwarded-For`, the first entry.
 *
 * @returns canonical, as {@link parseAddressLiteral}; `undefined` for everything else, also a list whose first entry is
 *   no address.
 */
export function parseNamedAddress(text: string): string | undefined {
  const comma = text.indexOf(',');
  const entry = (comma < 0 ? text : text.slice(0, comma)).trim();
  const [, bracketed, dotted] = NAMED_ADDRESS.exec(entry) ?? [];
  return parseAddressLiteral(bracketed ?? dotted ?? entry);
}

/** `[::1]`, `[::1]:80` and `1.2.3.4:80`. */
const NAMED_ADDRESS = /^(?:\[([^\][]+)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/;

/** The address of one X-Forwarded-For entry; IIS' and Azure's proxies add the port to it. */
function forwardedEntry(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    const close = trimmed.indexOf(']');
    return close < 0 ? undefined : parseAddressLiteral(trimmed.slice(1, close));
  }
  const colon = trimmed.indexOf(':');
  const withPort = colon >= 0 && colon === trimmed.lastIndexOf(':');
  return parseAddressLiteral(withPort ? trimmed.slice(0, colon) : trimmed);
}

/** A socket's address in canonical form without its zone (`fe80::1%eth0`); `''` when the peer is gone already. */
function peerAddress(remoteAddress: string): string {
  const zone = remoteAddress.indexOf('%');
  const address = zone < 0 ? remoteAddress : remoteAddress.slice(0, zone);
  return readLiteral(address) ?? '';
}

/** Whether a text is four decimal numbers without leading zeros; ipaddr.js would also read octal and short forms. */
function isIPv4(text: string): boolean {
  let numbers = 0;
  let digits = 0;
  let value = 0;
  for (let at = 0; at <= text.length; at++) {
    const digit = at < text.length ? text.charCodeAt(at) - 0x30 : DOT;
    if (digit === DOT) {
      if (digits === 0 || ++numbers > 4) return false;
      digits = value = 0;
    } else {
      if (digit < 0 || digit > 9 || (digits > 0 && value === 0)) return false;
      value = value * 10 + digit;
      if (++digits > 3 || value > 255) return false;
    }
  }
  return numbers === 4;
}

/** A dot, counted from the digit 0. */
const DOT = 0x2e - 0x30;

/**
 * The same text in memory of its own. What is cut out of a text refers to the whole of it, from 13 characters on: an
 * address that a budget remembers would keep the headers that it came with.
 */
function copyOf(text: string): string {
  return `-${text}`.slice(1);
}

function canonical(address: ipaddr.IPv6): string {
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
}
