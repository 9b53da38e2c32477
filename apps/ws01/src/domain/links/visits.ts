import type { Store } from '../../store/store.ts';
import type { Instant, LinkVisitSourcesTable, LinkVisitsTable } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { recordEvents } from '../events/record.ts';
import { type Periodic, periodically } from '../shared/periodic.ts';
import { addVisits } from './rows.ts';
import { addSources, NO_SOURCE, OTHER_SOURCES, type VisitSource } from './visit-sources.ts';

/** Who followed a link: a person, a declared bot, or a HEAD request. */
export type VisitKind = 'visits' | 'bots' | 'heads';

/**
 * Largest number of links and days that wait to be written; visits to further links are not
 * counted.
 */
const WAITING_MOST = 100_000;

/**
 * Largest number of sources that wait to be written, of all links; further ones are counted
 * together.
 */
const SOURCES_MOST = 100_000;

/** Counts of a link and a day that are not written yet. */
interface Waiting {
  readonly row: LinkVisitsTable;
  readonly sources: Map<string, LinkVisitSourcesTable>;
}

interface VisitDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** IANA time zone of the days. */
  readonly timeZone: string;
  /** Interval between two writes; ms. */
  readonly writeEvery: number;
  /** Largest number of names for a link, day and kind of source; 0 counts no sources. */
  readonly sourcesPerDay: number;
}

/**
 * Counts visits of short links by day and source. Counts are collected in memory and written
 * together every few seconds. Nothing else about visitors is stored.
 */
export class Visits {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #dayOf: (now: Instant) => string;
  readonly #writing: Periodic;
  readonly #sourcesPerDay: number;
  #waiting = new Map<string, Waiting>();
  #sources = 0;

  constructor({ store, clock, timeZone, writeEvery, sourcesPerDay }: VisitDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#dayOf = dayReader(timeZone);
    this.#sourcesPerDay = sourcesPerDay;
    this.#writing = periodically(writeEvery, () => this.#write());
  }

  /**
   * Counts a visit; never waits and never fails.
   * @param sources the sources of the visit; ignored unless `kind` is `visits`.
   */
  count(code: string, kind: VisitKind, sources: readonly VisitSource[] = []): void {
    const day = this.#dayOf(this.#clock());
    const id = `${day} ${code}`;
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      if (this.#waiting.size >= WAITING_MOST) return;
      waiting = { row: { code, day, visits: 0, bots: 0, heads: 0 }, sources: new Map() };
      this.#waiting.set(id, waiting);
    }
    waiting.row[kind]++;
    if (kind !== 'visits' || this.#sourcesPerDay === 0) return;
    for (const { kind: of, name } of sources)
      this.#add(waiting, { code, day, kind: of, name, visits: 1 });
  }

  #add({ sources }: Waiting, source: LinkVisitSourcesTable): void {
    const isKnown = sources.has(`${source.kind} ${source.name}`) || source.name === NO_SOURCE;
    const name = isKnown || this.#sources < SOURCES_MOST ? source.name : OTHER_SOURCES;
    const id = `${source.kind} ${name}`;
    const known = sources.get(id);
    if (known === undefined) this.#sources++;
    sources.set(id, { ...source, name, visits: source.visits + (known?.visits ?? 0) });
  }

  /** Stops, and writes the remaining counts. Rejects when they could not be written. */
  async close(): Promise<void> {
    await this.#writing.stop();
    await this.#write();
  }

  /** Writes the counts; after a failure, they are kept for the next time. */
  async #write(): Promise<void> {
    const taken = this.#waiting;
    if (taken.size === 0) return;
    this.#waiting = new Map();
    this.#sources = 0;
    try {
      // The same order on every node prevents deadlocks.
      const counted = [...taken.entries()]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, one]) => one);
      await writeVisits(this.#store, counted, this.#sourcesPerDay, this.#clock());
    } catch (error) {
      for (const [id, { row, sources }] of taken) {
        const later = this.#waiting.get(id);
        const both = {
          row: later === undefined ? row : sum(row, later.row),
          sources: later?.sources ?? new Map(),
        };
        this.#waiting.set(id, both);
        for (const source of sources.values()) this.#add(both, source);
      }
      throw error;
    }
  }
}

/** Adds the counts, and events for visits by people, in one transaction. */
function writeVisits(
  store: Store,
  counted: readonly Waiting[],
  sourcesPerDay: number,
  at: Instant,
): Promise<void> {
  const rows = counted.map(({ row }) => row);
  const sources = counted.flatMap((one) => [...one.sources.values()]);
  const visited = rows.filter(({ visits }) => visits > 0);
  const events = visited.map(({ code, visits }) => ({
    at,
    type: 'link.visit',
    kind: 'link',
    key: code,
    data: { visits },
  }));
  return store.write(async (tx) => {
    await recordEvents(tx, events);
    await addVisits(tx, rows);
    if (sources.length > 0) await addSources(tx, sources, sourcesPerDay);
  });
}

function sum(one: LinkVisitsTable, other: LinkVisitsTable): LinkVisitsTable {
  return {
    ...one,
    visits: one.visits + other.visits,
    bots: one.bots + other.bots,
    heads: one.heads + other.heads,
  };
}

/**
 * Returns a function from an instant to its day (`yyyy-MM-dd`), which computes each day only once.
 */
function dayReader(timeZone: string): (now: Instant) => string {
  let day = '';
  let from = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now < from || now >= until) {
      const start = Temporal.Instant.fromEpochMilliseconds(now)
        .toZonedDateTimeISO(timeZone)
        .startOfDay();
      day = start.toPlainDate().toString();
      from = start.epochMilliseconds;
      until = start.add({ days: 1 }).startOfDay().epochMilliseconds;
    }
    return day;
  };
}
