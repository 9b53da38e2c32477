/**
 * The `streamQuery` of every connection of ours. It is alone in its file, so that a thread of SQLite's need not load
 * the query builder, which is 12 MB.
 */
export function refuseStream(): never {
  throw new Error('Streaming is not offered, it would hold up every write; read pages by key instead.');
}
