import ipaddr from 'ipaddr.js';

const MAPPED_PREFIX = '::ffff:';

/** Longest text of an IPv6 address. */
const MAX_LENGTH = 45;

/**
 * Parses one IP address literal (semantics 2).
 *
 * @returns its canonical text: IPv4 dotted, IPv6 compressed as in RFC 5952, v4-mapped addresses as
 *   IPv4; `undefined` for everything else, such as `unknown`, a list, an address with a port or a
 *   zone, or an empty text. The result does not keep a longer text in memory that `text` was cut
 *   from.
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
 * The network that counts as one poster: an IPv4 address, or the /64 of an IPv6 address
 * (semantics 5.16).
 *
 * @param address canonical, as {@link parseAddressLiteral} returns it.
 * @returns the address, or `2001:db8:0:1::/64`.
 */
export function networkOf(address: string): string {
  return address.includes(':') ? networkOfSix(address, 64) : address;
}

/**
 * The usual network of one organisation: an IPv4 /24 or an IPv6 /48 (semantics 3).
 *
 * @param address canonical, as {@link parseAddressLiteral} returns it.
 * @returns `203.0.113.0/24` or `2001:db8:1::/48`.
 */
export function siteNetworkOf(address: string): string {
  if (address.includes(':')) return networkOfSix(address, 48);
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}

/** @param bits a multiple of 16. */
function networkOfSix(address: string, bits: number): string {
  const parts = ipaddr.IPv6.parse(address).parts.fill(0, bits / 16);
  return `${canonical(new ipaddr.IPv6(parts))}/${bits}`;
}

/**
 * Returns a function that checks whether an address is in a trusted network, such as that of a
 * proxy or back end.
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
    return networks.some(
      ([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits),
    );
  };
}

/**
 * Returns a function that finds the client address of a request. If the peer is a trusted proxy,
 * the function reads X-Forwarded-For from right to left, past further trusted proxies, to the first
 * address that is not one. Entries written by the client itself are further left and never used.
 *
 * @param trusted networks in CIDR form, such as `10.0.0.0/8`; when empty, the header is ignored.
 * @returns a function from the peer's address and the X-Forwarded-For header to the client's
 *   canonical address; an entry that is not an address ends the search at the proxy that wrote it.
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
 * Parses the address in an `ip` parameter (semantics 2, ip): a literal, optionally with a port as
 * from IIS, Azure and `REMOTE_ADDR:REMOTE_PORT`. Of a list, as in `X-Forwarded-For`, it takes the
 * first entry.
 *
 * @returns a canonical address, as {@link parseAddressLiteral}; `undefined` for everything else,
 *   also a list whose first entry is no address.
 */
export function parseNamedAddress(text: string): string | undefined {
  const comma = text.indexOf(',');
  const entry = (comma < 0 ? text : text.slice(0, comma)).trim();
  const [, bracketed, dotted] = NAMED_ADDRESS.exec(entry) ?? [];
  return parseAddressLiteral(bracketed ?? dotted ?? entry);
}

/** `[::1]`, `[::1]:80` and `1.2.3.4:80`. */
const NAMED_ADDRESS = /^(?:\[([^\][]+)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/;

/** The address of one X-Forwarded-For entry; the proxies of IIS and Azure append a port. */
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

/**
 * The canonical address of a socket, without its zone (`fe80::1%eth0`); `''` when the peer has
 * disconnected.
 */
function peerAddress(remoteAddress: string): string {
  const zone = remoteAddress.indexOf('%');
  const address = zone < 0 ? remoteAddress : remoteAddress.slice(0, zone);
  return readLiteral(address) ?? '';
}

/**
 * Whether a text is four decimal numbers without leading zeros; ipaddr.js would also read octal and
 * short forms.
 */
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

/** The character code of a dot, relative to that of the digit 0. */
const DOT = 0x2e - 0x30;

/**
 * Copies a text to its own memory. In V8, a slice of 13 characters or more refers to the whole
 * text, so an address stored by a budget would keep all headers of its request in memory.
 */
function copyOf(text: string): string {
  return `-${text}`.slice(1);
}

function canonical(address: ipaddr.IPv6): string {
  return address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : address.toRFC5952String();
}
