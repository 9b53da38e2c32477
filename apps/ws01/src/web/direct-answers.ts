import type { Logger } from 'pino';
import type { FilePieces } from '../adapters/files/file-store.ts';
import { createFailureAnswers } from './failures.ts';

/** A request, as every server has it. */
export interface DirectRequest {
  readonly method: string;
  readonly target: string;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The address of the peer; `''` when it has disconnected. */
  readonly remoteAddress: string;
  readonly requestId: () => string;
  /** Ends the wait for a busy disk; called if there is one. */
  readonly gone?: (() => AbortSignal) | undefined;
}

/** An answer for any server. */
export interface DirectAnswer {
  readonly status: number;
  /** By lower-case name, without Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  /** What Content-Length says; `undefined` where there is none. */
  readonly length: number | undefined;
  readonly body: string | Uint8Array;
  /** Instead of the body: a large one. */
  readonly stream?: {
    /**
     * Opens it.
     * @param signal ends the wait for a busy disk.
     * @throws {DependencyError} of the files.
     */
    readonly open: (signal?: AbortSignal) => Promise<FilePieces>;
    /** Returns the answer when it cannot be opened, and logs why. */
    readonly failed: (error: unknown) => DirectAnswer;
  };
}

/**
 * Answers the requests that visitors of a site send most, without the pages and the libraries that
 * those are written for; `undefined`, at once or later: the request is for others. Never rejects.
 */
export type DirectAnswers = (
  request: DirectRequest,
) => Promise<DirectAnswer | undefined> | undefined;

/** Has the first answer a request that is responsible for its URL. */
export function firstOf(all: readonly DirectAnswers[]): DirectAnswers {
  return (request) => {
    for (const answers of all) {
      const answering = answers(request);
      if (answering !== undefined) return answering;
    }
    return undefined;
  };
}

/** Hosts with which the usual paths make a URL; not all of them. */
const HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** Queries with which they do, as a pattern's source; not all of them. */
export const QUERY = '(?:\\?[!$&-;=?-\\[\\]_a-z~]*)?';

/**
 * Whether a request has the usual method and host; others are left to the pages, which understand
 * every form.
 */
export function isUsual({ method, headers: { host } }: DirectRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && host !== undefined && HOST.test(String(host));
}

/**
 * Whether the client is a browser that opens a page: programs, scripts and images do not ask for
 * HTML by name.
 */
export function acceptsHtml(accept: string | string[] | undefined): boolean {
  return accept?.includes('text/html') === true;
}

/** Whether a browser gets a page instead of the sentence of an error. */
export function isForPage(
  { status }: Pick<DirectAnswer, 'status'>,
  { accept }: DirectRequest['headers'],
): boolean {
  return status >= 400 && acceptsHtml(accept);
}

/** The path of a target, without the query, which may contain anything. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0]!;
}

/** The query of a target, with its question mark; `''` for none. */
export function queryOf(target: string): string {
  return target.slice(pathOf(target).length);
}

/**
 * Creates the function that answers requests that failed, and logs why. Every server writes the
 * request id itself.
 */
export function createDirectFailures(
  log: Logger,
): (error: unknown, request: DirectRequest) => DirectAnswer {
  const answerFailure = createFailureAnswers(log);
  return (error, { method, target, requestId }) => {
    const failed = { method, path: pathOf(target), requestId: requestId() };
    const { status, headers, body } = answerFailure(error, failed);
    const { 'x-request-id': _, ...rest } = headers;
    return { status, headers: rest, length: Buffer.byteLength(body), body };
  };
}

/** With nginx's status for a client that closed the connection before the answer. */
export const UNREAD: DirectAnswer = { status: 499, headers: {}, length: undefined, body: '' };
