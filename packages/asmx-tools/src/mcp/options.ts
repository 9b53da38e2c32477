import type { Service } from '@ws01/asmx/internal/contract/service';
import type { Endpoint } from '@ws01/asmx/internal/engine/endpoint-options';
import type { WireRequest } from '@ws01/asmx/internal/message/http';

/** Returns the caller, from the request of HTTP. */
export type McpCaller = Pick<WireRequest, 'headers' | 'remoteAddress'>;

/** Which service is served as tools, where, and to whom. */
export interface McpOptions<S extends Service = Service> {
  readonly service: S;
  /** The endpoint of the service: calls go through it, so all its rules apply. */
  readonly endpoint: Pick<Endpoint, 'request' | 'arriving'> & Partial<Pick<Endpoint, 'paths'>>;
  /** The endpoint's path, or one of its aliases. */
  readonly servicePath: `/${string}`;
  /** Where tools are called; `/mcp` when absent. */
  readonly path?: `/${string}`;
  /**
   * Whether a caller sees an operation; default: all. The endpoint checks each call in any case.
   * @param token of `Authorization: Bearer`.
   * @throws {ServiceError} to refuse the list: its message is shown. Of any other error none is.
   */
  readonly allows?: (caller: McpCaller, token: string | undefined) => Shows<S> | Promise<Shows<S>>;
  /**
   * The parameter with the credential: it is filled from `Authorization: Bearer`, and hidden in the
   * tools. The one that the contract marks when absent.
   */
  readonly credential?: (operation: S['operations'][number]) => string | undefined;
  /**
   * The longest message, bytes; 4 MiB when absent. Four times as much is held of all that arrive or
   * are answered at once.
   */
  readonly bodyBytes?: number;
  /** How many members and items the JSON of a message may have; 20,000 when absent. */
  readonly items?: number;
  /**
   * Names of hosts whose pages may call tools, if they are asked for under that name: that of this
   * server. Pages at localhost and at IP addresses may anyway; who is no page need not be here.
   */
  readonly hosts?: readonly string[];
}

type Shows<S extends Service> = (operation: S['operations'][number]) => boolean;
