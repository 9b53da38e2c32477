import type { ReceivedRequest } from './received-request.ts';

/**
 * How calls reached a trusted proxy: `http`, `TLS 1.0` to `TLS 1.3`, or `https` where it does not
 * say more.
 */
export type TransportCounts = Readonly<
  Record<string, { readonly calls: number; readonly last: number }>
>;

/** Peers that are remembered; a service has few proxies. */
const MOST_PEERS = 200;

/**
 * Counts the calls since the start of this process by what a trusted proxy says of their
 * connections, so that one knows when the last old client is gone. The proxy sends
 * `X-Forwarded-Proto` and, in `X-Forwarded-Tls-Version`, the version, such as `TLSv1.2` or `tls1.3`
 * (deploy/); a balancer of AWS sends `X-Amzn-Tls-Version`.
 */
export class Transports {
  readonly #trusts: (address: string) => boolean;
  readonly #known = new Map<string, boolean>();
  readonly #counts = new Map<string, { calls: number; last: number }>();

  constructor(trusts: (address: string) => boolean) {
    this.#trusts = trusts;
  }

  /** @param at when the call was answered; ms since 1970. */
  note(
    { headers, remoteAddress }: Pick<ReceivedRequest, 'headers' | 'remoteAddress'>,
    at: number,
  ): void {
    const scheme = headers['x-forwarded-proto'];
    if (scheme === undefined || !this.#isTrusted(remoteAddress)) return;
    const told = headers['x-forwarded-tls-version'] ?? headers['x-amzn-tls-version'];
    const name = transportOf(String(scheme), String(told ?? ''));
    if (name === undefined) return;
    const count = this.#counts.get(name);
    if (count === undefined) {
      this.#counts.set(name, { calls: 1, last: at });
      return;
    }
    count.calls++;
    count.last = at;
  }

  counts(): TransportCounts {
    return Object.fromEntries(this.#counts);
  }

  #isTrusted(address: string): boolean {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    if (this.#known.size === MOST_PEERS) this.#known.clear();
    const trusted = this.#trusts(address);
    this.#known.set(address, trusted);
    return trusted;
  }
}

/** Adds up the counts of processes. */
export function sumOf(all: readonly TransportCounts[]): TransportCounts {
  const sum: Record<string, { calls: number; last: number }> = {};
  for (const [name, { calls, last }] of all.flatMap((one) => Object.entries(one))) {
    const before = sum[name] ?? { calls: 0, last: 0 };
    sum[name] = { calls: before.calls + calls, last: Math.max(before.last, last) };
  }
  return sum;
}

function transportOf(scheme: string, version: string): string | undefined {
  if (scheme === 'http') return 'http';
  if (scheme !== 'https') return undefined;
  const [, minor] = /^TLS ?v?1(?:\.([0-3]))?$/i.exec(version) ?? [];
  if (minor !== undefined) return `TLS 1.${minor}`;
  return /^TLS ?v?1$/i.test(version) ? 'TLS 1.0' : 'https';
}
