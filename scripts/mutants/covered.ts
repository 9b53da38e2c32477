/** Which places of the sources a test file runs: V8's block coverage of every process and thread it started. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Offsets count UTF-16 units; stripping the types moves nothing. */
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: Range[] }[];
  }[];
}

export interface Place {
  /** From the root of the tree. */
  readonly file: string;
  readonly offset: number;
}

/**
 * Reads what `NODE_V8_COVERAGE` left in a folder, and empties it.
 * @param root the tree that the tests ran in
 * @returns those of the places that were run at least once
 */
export function coveredIn<P extends Place>(
  folder: string,
  root: string,
  places: readonly P[],
): Set<P> {
  const covered = new Set<P>();
  const byUrl = Map.groupBy(places, ({ file }) => pathToFileURL(join(root, file)).href);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const { result } = readReport(path);
    rmSync(path);
    for (const { url, functions } of result) {
      for (const place of byUrl.get(url) ?? []) {
        if (!covered.has(place) && countAt(place.offset, functions) > 0) covered.add(place);
      }
    }
  }
  return covered;
}

/** A process that was killed while it wrote leaves half a report. */
function readReport(path: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return { result: [] };
  }
}

/** The smallest range around a place says how often it ran. */
function countAt(offset: number, functions: readonly { readonly ranges: Range[] }[]): number {
  let smallest: Range | undefined;
  for (const { ranges } of functions) {
    for (const range of ranges) {
      if (offset < range.startOffset || offset >= range.endOffset) continue;
      if (smallest === undefined || width(range) <= width(smallest)) smallest = range;
    }
  }
  return smallest?.count ?? 0;
}

function width({ startOffset, endOffset }: Range): number {
  return endOffset - startOffset;
}
