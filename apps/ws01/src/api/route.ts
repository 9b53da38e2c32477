import type { ErrorCode } from '../contract/errors.ts';
import type { Role } from '../domain/admins/roles.ts';
import type { Principal } from './principal.ts';
import type { Schema, Values } from './schema.ts';

/** One request, its principal known and its input read. */
export interface ApiCall {
  /** Of what everybody may read, a reader. */
  readonly principal: Principal;
  /** For an answer that goes on: whose call it is by now. @throws {Ws01Error} when it may not be made any more. */
  readonly judgeAgain: () => Promise<Principal>;
  /** The observed address of the client. */
  readonly address: string;
  readonly requestId: string;
  /** Where the client reached the service; `undefined` where nobody needs to know. */
  readonly reachedAt: string | undefined;
  /** The header `Accept`, and `Last-Event-ID`; `undefined` for none. */
  readonly accept: string | undefined;
  readonly lastEventId: string | undefined;
  /** The parts of the path that stand for keys. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Values;
  readonly body: Values;
}

/** An answer that is no JSON. */
export class Raw {
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream;
  readonly type: string;

  constructor(body: Raw['body'], type: string) {
    this.body = body;
    this.type = type;
  }
}

/** One route as data: it is served, its input is read, who may call it is decided and OpenAPI is written by it. */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v1`, keys in braces: `/articles/{guid}`. */
  readonly path: string;
  /** Unique, as OpenAPI's `operationId`. */
  readonly id: string;
  /** What the kinds of routes are listed under. */
  readonly tag: string;
  readonly summary: string;
  /** The least role that may call it; `public`: everybody, without a credential. */
  readonly role: Role | 'public';
  readonly query?: Readonly<Record<string, Schema>>;
  /** An object; absent where no body is read. */
  readonly body?: Schema;
  /** What it answers with 200, or with `status`. */
  readonly result: Schema;
  readonly status?: 200 | 201 | 202;
  /** JSON when absent; else what it answers is {@link Raw}. */
  readonly contentType?: string;
  /** Codes of errors that can come besides those that can come everywhere. */
  readonly errors?: readonly ErrorCode[];
  readonly run: (call: ApiCall) => Promise<unknown>;
}
