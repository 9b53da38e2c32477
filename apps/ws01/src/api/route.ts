import type { ErrorCode } from '../contract/errors.ts';
import type { Principal, Role } from './principal.ts';
import type { Schema, Values } from './schema.ts';

/** One request, its principal known and its input read. */
export interface ApiCall {
  readonly principal: Principal;
  /** The observed address of the client. */
  readonly address: string;
  readonly requestId: string;
  /** Where the client reached the service; `undefined` where nobody needs to know. */
  readonly reachedAt: string | undefined;
  /** The parts of the path that stand for keys. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Values;
  readonly body: Values;
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
  /** The least role that may call it. */
  readonly role: Role;
  readonly query?: Readonly<Record<string, Schema>>;
  /** An object; absent where no body is read. */
  readonly body?: Schema;
  /** What it answers with 200, or with `status`. */
  readonly result: Schema;
  readonly status?: 200 | 201 | 202;
  /** Codes of errors that can come besides those that can come everywhere. */
  readonly errors?: readonly ErrorCode[];
  readonly run: (call: ApiCall) => Promise<unknown>;
}
