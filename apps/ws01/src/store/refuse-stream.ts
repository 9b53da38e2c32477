/**
 * The `streamQuery` of all our connections. It has its own file so that SQLite's threads need not
 * load the query builder (12 MB).
 */
export function refuseStream(): never {
  throw new Error(
    'Streaming is not offered, it would hold up every write; read pages by key instead.',
  );
}
