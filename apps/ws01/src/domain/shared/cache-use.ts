/** How often something was looked for in a cache, and found. */
export class CacheUse {
  hits = 0;
  misses = 0;

  /** Notes what a look at the cache has come to, and returns it. */
  note<T>(found: T | undefined): T | undefined {
    if (found === undefined) this.misses++;
    else this.hits++;
    return found;
  }
}
