import type { Store } from '../../store/store.ts';
import type { Instant, LinkVisitsTable } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { recordEvents } from '../events/record.ts';
import { type Periodic, periodically } from '../shared/periodic.ts';

/** Who followed a link: a person, a machine that says so, or a request that only wanted to know where it leads. */
export type VisitKind = 'visits' | 'bots' | 'heads';

/** Rows written in one statement at most. */
const BATCH = 500;

/** Links and days waiting to be written at most; beyond that, visits to further links are not counted. */
const WAITING_MOST = 100_000;

interface VisitDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** IANA zone that days begin and end in. */
  readonly timeZone: string;
  /** How often what was counted is written; ms. */
  readonly writeEvery: number;
}

/** Counts visits of short links by day: in memory, written together every few seconds. Nothing of a visitor is kept. */
export class Visits {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #dayOf: (now: Instant) => string;
  readonly #writing: Periodic;
  #waiting = new Map<string, LinkVisitsTable>();

  constructor({ store, clock, timeZone, writeEvery }: VisitDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#dayOf = dayReader(timeZone);
    this.#writing = periodically(writeEvery, () => this.#write());
  }

  /** Counts a visit; never waits and never fails. */
  count(code: string, kind: VisitKind): void {
    const day = this.#dayOf(this.#clock());
    const id = `${day} ${code}`;
    let row = this.#waiting.get(id);
    if (row === undefined) {
      if (this.#waiting.size >= WAITING_MOST) return;
      row = { code, day, visits: 0, bots: 0, heads: 0 };
      this.#waiting.set(id, row);
    }
    row[kind]++;
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
    try {
      // In one order on every node, so that none waits for another in a circle.
      const rows = [...taken.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
      await writeVisits(this.#store, rows, this.#clock());
    } catch (error) {
      for (const [id, row] of taken) {
        const later = this.#waiting.get(id);
        this.#waiting.set(id, later === undefined ? row : sum(row, later));
      }
      throw error;
    }
  }
}

/** Adds to the days' numbers and tells of visits by people, all in one transaction. */
function writeVisits(store: Store, rows: readonly LinkVisitsTable[], at: Instant): Promise<void> {
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
