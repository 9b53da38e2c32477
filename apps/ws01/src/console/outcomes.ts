import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import type { ApiClient, Change, ReadItem } from './api-client.ts';
import type { Kind, Verb } from './catalog.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';

/**
 * The result of an action on one record; in a preview, the expected result, without `change` and `problem` while the
 * form lacks something.
 */
export interface Outcome {
  readonly key: string;
  readonly before: Item | undefined;
  /** The version of `before`. */
  readonly version?: string | undefined;
  readonly change: Change | undefined;
  readonly problem: Ws01Error | undefined;
}

/**
 * Does an action on one record, or tells what it would do.
 * @param version the record's version as it was read: if it is another one now, nothing is done.
 */
export async function outcomeOf(
  api: ApiClient,
  kind: Kind,
  verb: Pick<Verb, 'method' | 'tail' | 'required'>,
  key: string,
  body: object,
  { preview, version }: { readonly preview: boolean; readonly version?: string | undefined },
): Promise<Outcome> {
  const path = `/${kind.name}/${segmentOf(key)}`;
  let read: ReadItem | undefined;
  try {
    // What is added is not there before.
    read = await (verb.tail === '/add' ? orUndefined(api.read(path)) : api.read(path));
    const about = { key, before: read?.item, version: read?.version };
    const isIncomplete = verb.required.some((name) => !Object.hasOwn(body, name));
    if (preview && isIncomplete) return { ...about, change: undefined, problem: undefined };
    const way = `${path}${verb.tail}${preview ? '?preview=true' : ''}`;
    const change = await api.send<Change>(verb.method, way, body, version);
    return { ...about, change, problem: undefined };
  } catch (error) {
    if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
    const about = { key, before: read?.item, version: read?.version };
    return { ...about, change: undefined, problem: error };
  }
}
