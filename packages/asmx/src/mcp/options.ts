import type { Service } from '../contract/service.ts';
import type { Endpoint } from '../engine/endpoint-options.ts';
import type { WireRequest } from '../message/http.ts';

/** Who asks, by the request of HTTP. */
export type McpCaller = Pick<WireRequest, 'headers' | 'remoteAddress'>;

export interface McpOptions<S extends Service = Service> {
  readonly service: S;
  /** That of the service: calls go through it, so that everything that holds for other bindings holds. */
  readonly endpoint: Pick<Endpoint, 'request'>;
  /** The endpoint's. */
  readonly servicePath: `/${string}`;
  /** Where tools are called; `/mcp` when absent. */
  readonly path?: `/${string}`;
  /**
   * Which operations a caller is shown. All when absent; a call is judged by the endpoint in either case.
   * @param token of `Authorization: Bearer`.
   * @throws {Error} to refuse the list; its message is shown.
   */
  readonly allows?: (caller: McpCaller, token: string | undefined) => Shows<S> | Promise<Shows<S>>;
  /** The parameter that carries the credential: it is taken from `Authorization: Bearer`, and no tool shows it. */
  readonly credential?: (operation: S['operations'][number]) => string | undefined;
  /** What an operation does to what is stored, where its contract does not say. */
  readonly hints?: (operation: S['operations'][number]) => {
    readonly readOnly: boolean;
    readonly destructive: boolean;
  };
  /** The longest message, bytes; 4 MiB when absent. */
  readonly bodyBytes?: number;
}

type Shows<S extends Service> = (operation: S['operations'][number]) => boolean;
