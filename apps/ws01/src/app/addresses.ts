import { publicUrlOf, type Reached } from '@ws01/asmx';
import { type Config, publicAddresses } from '../config/config.ts';
import { createNetworkTrust } from '../domain/values/internet-address.ts';

/** A call, or a request, as far as its answer's addresses depend on it. */
interface Addressed {
  /** Where the client reached the service, when answers follow that. */
  readonly reachedAt?: string | undefined;
}

/** The public addresses of the service; those in answers follow the Host where `BASE_URL` is not set (A24). */
export class Addresses {
  readonly #config: Config;
  readonly #trustsProxy: ReturnType<typeof createNetworkTrust>;
  /** Known once the server listens, when `PORT` is 0. */
  port: number;

  constructor(config: Config) {
    this.#config = config;
    this.#trustsProxy = createNetworkTrust(config.trustedProxies);
    this.port = config.port;
  }

  /** What is kept, mailed or sent to others begins with this. */
  get baseUrl(): string {
    return publicAddresses(this.#config, this.port).baseUrl;
  }

  /** The same of short links. */
  get shortBaseUrl(): string {
    return publicAddresses(this.#config, this.port).shortBaseUrl;
  }

  /** Whether short links in answers follow the Host. */
  get shortLinksFollowHost(): boolean {
    return this.#config.baseUrl === undefined && this.#config.shortBaseUrl === undefined;
  }

  /** Where a client reached the service; `undefined` when `BASE_URL` is set, since nobody needs to know then. */
  readonly reachedAt = (request: Reached): string | undefined =>
    this.#config.baseUrl === undefined ? publicUrlOf(request, this.#trustsProxy) : undefined;

  /**
   * Where a browser reached the console: scheme, host and port. Where the host is that of `BASE_URL`, its scheme counts,
   * too, whether or not the proxy before it is trusted.
   */
  readonly originOf = (request: Reached): string | undefined => {
    const reached = publicUrlOf(request, this.#trustsProxy);
    const own = this.#config.baseUrl === undefined ? undefined : new URL(this.#config.baseUrl);
    return reached !== undefined && own?.host === new URL(reached).host ? own.origin : reached;
  };

  /** What addresses in the answer of a call begin with. */
  readonly baseUrlFor = ({ reachedAt }: Addressed): string =>
    publicAddresses(this.#config, this.port, reachedAt).baseUrl;

  readonly shortBaseUrlFor = ({ reachedAt }: Addressed): string =>
    publicAddresses(this.#config, this.port, reachedAt).shortBaseUrl;
}
