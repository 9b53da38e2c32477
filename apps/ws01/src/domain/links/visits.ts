import type { Store } from '../../store/store.ts';
import type { Instant, LinkVisitSourcesTable, LinkVisitsTable } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { recordEvents } from '../events/record.ts';
import { type Periodic, periodically } from '../shared/periodic.ts';
import { addSources, NO_SOURCE, OTHER_SOURCES, type VisitSource } from './visit-sources.ts';

/** Who followed a link: a person, a machine that says so, or a request that only wanted to know where it leads. */
export type VisitKind = 'visits' | 'bots' | 'heads';

/** Rows written in one statement at most. */
const BATCH = 500;

/** Links and days waiting to be written at most; beyond that, visits to further links are not counted. */
const WAITING_MOST = 100_000;

/** Sources of all links waiting to be written at most; beyond that, further ones are counted together. */
const SOURCES_MOST = 100_000;

/** What is counted of a link and a day, and is not written yet. */
interface Waiting {
  readonly row: LinkVisitsTable;
  readonly sources: Map<string, LinkVisitSourcesTable>;
}

interface VisitDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** IANA zone that days begin and end in. */
  readonly timeZone: string;
  /** How often what was counted is written; ms. */
  readonly writeEvery: number;
  /** Names of each kind of source that a link has a day; 0 counts none. */
  readonly sourcesPerDay: number;
}

/**
 * Counts visits of short links by day, and by where people came from: in memory, written together every few seconds. Of a visitor
 * nothing but these numbers is kept.
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
   * @param sources where it came from; looked at for visits of people alone.
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
    for (const { kind: of, name } of sources) this.#add(waiting, { code, day, kind: of, name, visits: 1 });
  }

  #add({ sources }: Waiting, source: LinkVisitSourcesTable): void {
    const isKnown = sources.has(`${source.kind} ${source.name}`) || source.name === NO_SOURCE;
    const name = isKnown || this.#sources < SOURCES_MOST ? source.name : OTHER_SOURCES;
    const id = `${source.kind} ${name}`;
    const known = sources.get(id);
    if (known === undefined) this.#sources++;
    sources.set(id, { ...source, name, visits: source.visits + (known?.visits ?? 0) });
  }

  /** Writes what was counted and stops. Rejects when it could not be written. */
  async close(): Promise<void> {
    await this.#writing.stop();
    await this.#write();
  }

  /** What cannot be written now is written the next time. */
  async #write(): Promise<void> {
    const taken = this.#waiting;
    if (taken.size === 0) return;
    this.#waiting = new Map();
    this.#sources = 0;
    try {
      // In one order on every node, so that none waits for another in a circle.
      const counted = [...taken.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
      await writeVisits(this.#store, counted, this.#sourcesPerDay, this.#clock());
    } catch (error) {
      for (const [id, { row, sources }] of taken) {
        const later = this.#waiting.get(id);
        const both = { row: later === undefined ? row : sum(row, later.row), sources: later?.sources ?? new Map() };
        this.#waiting.set(id, both);
        for (const source of sources.values()) this.#add(both, source);
      }
      throw error;
    }
  }
}

/** Adds to the days' numbers and tells of visits by people, all in one transaction. */
function writeVisits(store: Store, counted: readonly Waiting[], sourcesPerDay: number, at: Instant): Promise<void> {
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
    for (let start = 0; start < rows.length; start += BATCH) {
      await tx
        .insertInto('link_visits')
        .values(rows.slice(start, start + BATCH))
        .onConflict((conflict) =>
          conflict.columns(['code', 'day']).doUpdateSet((eb) => ({
            visits: eb('link_visits.visits', '+', eb.ref('excluded.visits')),
            bots: eb('link_visits.bots', '+', eb.ref('excluded.bots')),
            heads: eb('link_visits.heads', '+', eb.ref('excluded.heads')),
          })),
        )
        .execute();
    }
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

/** A function from an instant to its day, `yyyy-MM-dd`, that works it out once a day. */
function dayReader(timeZone: string): (now: Instant) => string {
  let day = '';
  let from = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now < from || now >= until) {
      const start = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).startOfDay();
      day = start.toPlainDate().toString();
      from = start.epochMilliseconds;
      until = start.add({ days: 1 }).startOfDay().epochMilliseconds;
    }
    return day;
  };
}
