import type { IncomingMessage } from 'node:http';
import { publicUrlOf, type Reached } from '@ws01/asmx';
import { type Config, publicAddresses } from '../config/config.ts';
import { pathOf, shortPaths } from '../domain/links/target.ts';
import { createClientAddress, createNetworkTrust } from '../domain/values/internet-address.ts';
import { withoutBasePath } from '../web/base-path.ts';
import type { ReceivedRequest } from '../web/received-request.ts';

/** A call or request, with what its answer's addresses depend on. */
interface Addressed {
  /** The origin that the client used; `undefined` when `BASE_URL` is set. */
  readonly reachedAt?: string | undefined;
}

/**
 * The addresses of clients, and the public ones of the service. Without `BASE_URL`, addresses in
 * answers use the request's Host (A24).
 */
export class Addresses {
  readonly #config: Config;
  /** Whether a peer is a proxy of `TRUSTED_PROXIES`. */
  readonly trustsProxy: ReturnType<typeof createNetworkTrust>;
  /** Takes the path of `BASE_URL` away from the target of a request that has it. */
  readonly takeBasePath: (req: IncomingMessage) => void;
  /** The client's address, by the address of the peer and `X-Forwarded-For`. */
  readonly clientAddress: ReturnType<typeof createClientAddress>;
  /** The port; set after the server listens when `PORT` is 0. */
  port: number;

  constructor(config: Config) {
    this.#config = config;
    this.trustsProxy = createNetworkTrust(config.trustedProxies);
    this.clientAddress = createClientAddress(config.trustedProxies);
    this.port = config.port;
    this.takeBasePath = withoutBasePath(config.baseUrl, [
      ...config.servicePaths,
      ...shortPaths(this.baseUrl, this.shortBaseUrl),
    ]);
  }

  /** The base URL for addresses that are stored, mailed or sent to other services. */
  get baseUrl(): string {
    return publicAddresses(this.#config, this.port).baseUrl;
  }

  /** The base URL of short links for the same purposes. */
  get shortBaseUrl(): string {
    return publicAddresses(this.#config, this.port).shortBaseUrl;
  }

  /** Whether short links in answers use the request's Host. */
  get shortLinksFollowHost(): boolean {
    return this.#config.baseUrl === undefined && this.#config.shortBaseUrl === undefined;
  }

  /**
   * Returns the client's address of a request, trusted proxies taken into account, for every door
   * alike.
   */
  readonly clientOf = ({ headers, remoteAddress }: ReceivedRequest): string => {
    const forwarded: string | string[] | undefined = headers['x-forwarded-for'];
    // Repeated headers are one list.
    return this.clientAddress(
      remoteAddress,
      typeof forwarded === 'object' ? forwarded.join(', ') : forwarded,
    );
  };

  /**
   * Returns the origin that a client used; `undefined` when `BASE_URL` is set, because then no
   * answer depends on it.
   */
  readonly reachedAt = (request: Reached): string | undefined =>
    this.#config.baseUrl === undefined ? publicUrlOf(request, this.trustsProxy) : undefined;

  /**
   * Returns the origin that a browser used for the console: scheme, host and port. If the host is
   * that of `BASE_URL`, its scheme is used too, whether or not the proxy is trusted.
   */
  readonly originOf = (request: Reached): string | undefined => {
    const reached = publicUrlOf(request, this.trustsProxy);
    if (reached === undefined) return undefined;
    const own = this.#config.baseUrl === undefined ? undefined : new URL(this.#config.baseUrl);
    const { host, origin } = new URL(reached);
    return own?.host === host ? own.origin : origin;
  };

  /** Returns the base URL for addresses in the answer to a call. */
  readonly baseUrlFor = ({ reachedAt }: Addressed): string =>
    publicAddresses(this.#config, this.port, reachedAt).baseUrl;

  /** Returns the path that clients find the service below; `''` for none. */
  readonly basePathOf = (request: Reached): string =>
    pathOf(this.baseUrlFor({ reachedAt: this.reachedAt(request) }));

  readonly shortBaseUrlFor = ({ reachedAt }: Addressed): string =>
    publicAddresses(this.#config, this.port, reachedAt).shortBaseUrl;
}
