import type { Context } from 'hono';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import { asWs01Error } from '../failure/translate.ts';
import { Turns } from '../turns/turns.ts';
import { requestIdOf } from '../web/request-ids.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

/** A page of a list. */
export interface ItemPage {
  readonly items: readonly Item[];
  readonly next: string | null;
  /** How many there are in all, where that was asked for and is counted quickly. */
  readonly total?: number | null;
  /** Beside a total that is null: so many there are, and perhaps more. */
  readonly atLeast?: number;
}

/** The result of a verb, or of its preview. */
export interface Change {
  readonly changed: boolean;
  readonly item: Item | null;
  /** When a person is erased: the deleted rows by table. */
  readonly erased?: readonly Item[];
  /** Of an act on everything of a person: how many records of each kind it concerns. */
  readonly records?: Readonly<Record<string, number>>;
  /** What was made, and is shown once: a sign-in link, a token, or what calls are signed with. */
  readonly link?: string | null;
  readonly token?: string | null;
  readonly secret?: string | null;
  /** The key of the new token. */
  readonly replacedBy?: string | null;
  /** The version that a change made. */
  readonly version?: string | undefined;
}

/** A record, and the version of it as it was read: an edit of it gives that. */
export interface ReadItem {
  readonly item: Item;
  readonly version: string | undefined;
}

/** Calls the API as the signed-in admin. */
export interface ApiClient {
  /** @throws {Ws01Error} the API's error. */
  get<T = Item>(path: string): Promise<T>;
  /** Reads a record for an edit of it. @throws {Ws01Error} the API's error. */
  read(path: string): Promise<ReadItem>;
  /**
   * Returns the response without reading it, to pass it on.
   * @throws {Ws01Error} the API's error.
   */
  stream(path: string): Promise<Response>;
  /**
   * @param version the version of the record that the body changes, as it was read.
   * @throws {Ws01Error} the API's error.
   */
  send<T = Change>(method: string, path: string, body: object, version?: string): Promise<T>;
  /** Posts a file. @throws {Ws01Error} the API's error. */
  upload<T>(path: string, file: Blob): Promise<T>;
}

/**
 * What a client asks for at once. Of the searches on SQLite so few may wait that the records of one
 * page would take all places.
 */
const AT_ONCE = 8;

/** Creates the API client of one console request; what it is asked at once waits for its turn. */
export function apiFor({ api }: Pick<ConsoleDeps, 'api'>, c: Context<ConsoleEnv>): ApiClient {
  const bindings = {
    principal: { kind: 'admin', ...c.get('admin') },
    address: c.get('visit').address,
    reachedAt: c.get('visit').reachedAt,
    requestId: requestIdOf(c.env),
    onBroken: () => c.env.incoming.socket.destroy(),
  } as const;
  const turns = new Turns(AT_ONCE);
  const stream = async (path: string, init?: RequestInit): Promise<Response> => {
    let problem: Ws01Error | undefined;
    const request = new Request(`http://console/api/v1${path}`, init);
    const onProblem = (error: Ws01Error) => {
      problem = error;
    };
    const answer = await turns.take(async () => api.fetch(request, { ...bindings, onProblem }));
    if (answer.ok) return answer;
    const { code, sentence, parameter } = problem ?? asWs01Error(undefined);
    throw new Ws01Error(code, sentence, parameter === undefined ? {} : { parameter });
  };
  const ask = async <T>(path: string, init?: RequestInit): Promise<T> =>
    (await stream(path, init)).json() as T;
  return {
    get: (path) => ask(path),
    async read(path) {
      const answer = await stream(path);
      return { item: (await answer.json()) as Item, version: versionOf(answer) };
    },
    stream,
    upload: (path, file) => ask(path, { method: 'POST', body: file }),
    async send<T>(method: string, path: string, body: object, version?: string) {
      const answer = await stream(path, {
        method: method.toUpperCase(),
        headers: {
          'Content-Type': 'application/json',
          ...(version === undefined ? {} : { 'If-Match': `"${version}"` }),
        },
        body: JSON.stringify(body),
      });
      return { ...((await answer.json()) as T), version: versionOf(answer) };
    },
  };
}

/** The version that an answer tells, without the quotation marks of the header. */
const versionOf = ({ headers }: Response) => headers.get('etag')?.slice(1, -1);
