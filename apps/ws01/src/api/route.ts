import type { ErrorCode } from '../contract/errors.ts';
import type { Role } from '../contract/roles.ts';
import type { Principal } from './principal.ts';
import type { Schema, Values } from './schema.ts';

/** A request whose caller is authenticated and whose input is read. */
export interface ApiCall {
  /** The caller; for public routes, an anonymous reader. */
  readonly principal: Principal;
  /**
   * Authorizes the caller again, for streams.
   * @throws {Ws01Error} if the caller may no longer make the call.
   */
  readonly reauthorize: () => Promise<Principal>;
  /** The client address. */
  readonly address: string;
  readonly requestId: string;
  /** The origin that the client used; `undefined` when `BASE_URL` is set. */
  readonly reachedAt: string | undefined;
  /** The headers `Accept` and `Last-Event-ID`; `undefined` if absent. */
  readonly accept: string | undefined;
  readonly lastEventId: string | undefined;
  /** The header `If-Match`; absent if the request has none. */
  readonly ifMatch?: string | undefined;
  /** The keys in the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Values;
  readonly body: Values;
  /** The body of a route that takes bytes; `null` for an empty one. */
  readonly bytes?: ReadableStream<Uint8Array> | null;
}

/** An answer that is not JSON, or has headers of its own. */
export class Raw {
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: Raw['body'], type: string, headers: Raw['headers'] = {}) {
    this.body = body;
    this.type = type;
    this.headers = headers;
  }
}

/** A route as data: it defines the handler, the input, the role and the OpenAPI entry. */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** The path below `/api/v1`, with keys in braces: `/articles/{guid}`. */
  readonly path: string;
  /** Unique; OpenAPI's `operationId`. */
  readonly id: string;
  /** OpenAPI's tag. */
  readonly tag: string;
  readonly summary: string;
  /** The lowest role that may call the route; `public`: everyone, without a credential. */
  readonly role: Role | 'public';
  /**
   * Whether its answer is private: then of people only owners may call it, and tokens with its
   * role.
   */
  readonly private?: true;
  /**
   * Whether it outlives a session: then a session must be confirmed. Tokens have their power
   * anyway.
   */
  readonly confirmed?: true;
  readonly query?: Readonly<Record<string, Schema>>;
  /** The schema of the body, an object; absent if the route reads no body. */
  readonly body?: Schema;
  /**
   * The media type of a body that is no JSON; {@link ApiCall.bytes} has it. Absent: there is none.
   */
  readonly bytes?: string;
  /** Longest JSON body; bytes. Absent: that of every route. */
  readonly bodyBytes?: number;
  /** The schema of the answer with status 200, or with `status`. */
  readonly result: Schema;
  readonly status?: 200 | 201 | 202;
  /** The media type of a {@link Raw} answer; absent for JSON. */
  readonly contentType?: string;
  /** Error codes of this route, besides those that every route can answer. */
  readonly errors?: readonly ErrorCode[];
  readonly run: (call: ApiCall) => Promise<unknown>;
}
