import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import type { Random } from '../../../../packages/asmx/test/kit/random.ts';
import { Ws01Error } from '../../src/contract/errors.ts';
import { runHousekeeping } from '../../src/domain/housekeeping.ts';
import { cancelling, changeMails } from '../../src/domain/mail/bulk.ts';
import { LEASE_MS } from '../../src/domain/outbox/lease-watch.ts';
import { NOTE_EVERY_MS } from '../../src/domain/shared/known-time.ts';
import { expireSms } from '../../src/domain/sms/admin.ts';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import { Node, Part, type Site } from './node.ts';
import { type Expected, Promises } from './promises.ts';
import { countFault } from './tally.ts';
import type { Idle, Simulated, SimulatedTime } from './time.ts';

/** What a client knows of something that it asked for. */
type Knowledge = 'done' | 'refused' | 'limited' | 'open';

interface Answer {
  readonly known: Knowledge;
  readonly result: string | undefined;
}

/** Days that each kind of row is kept: few, so that purges meet what is used. */
export const KEPT = {
  ...{ trash: 2, removedImages: 2, revisions: 3, postings: 6, visits: 40, verifications: 1 },
  ...{
    unsentMails: 3,
    mails: 2,
    texts: 2,
    reports: 8,
    audit: 8,
    events: 3,
    callCounts: 90,
    failedCalls: 30,
  },
} as const;

/** What makes trouble on a day. */
const WEATHERS = ['calm', 'database', 'messages', 'clock', 'crashes', 'all'] as const;

/** At the end of each day nothing is in the way for so long: longer than the longest wait of a mail. */
const CALM_MS = 65 * MINUTE_MS;

/**
 * The longest that the other side is away, mostly little: each minute without it is as the minute before. 30 minutes
 * reach the longest wait between two attempts.
 */
const AWAY_MS = [20_000, 20_000, MINUTE_MS, MINUTE_MS, 3 * MINUTE_MS, 30 * MINUTE_MS] as const;

/** In a day. On days without one, time passes for what is kept, purged and counted by the day. */
const EPISODES = [0, 0, 1, 1, 1, 3] as const;

const NODES = 2;

/** Whoever calls: outlives every node. */
const CLIENT: Simulated = { alive: true, wall: () => 0 };

/** A simulated installation with its clients. Everything that happens follows from its random numbers. */
export class World {
  readonly #site: Site;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #promises: Promises;
  readonly #look: DatabaseSync;
  readonly #dueByKind: StatementSync;
  #nodes: Node[] = [];
  #weather: (typeof WEATHERS)[number] = 'calm';
  #serial = 0;
  /** Whether intervals run although nothing waits for them. */
  #ticking = false;

  /** @param file of the database of `site`, to look into beside the store. */
  constructor(site: Site, file: string, expected: Expected) {
    this.#site = site;
    this.#time = site.time;
    this.#random = site.random;
    this.#look = new DatabaseSync(file, { readOnly: true });
    this.#dueByKind = this.#look.prepare(
      `select kind, min(due_at) filter (where state <> 'sending') as due, max(state = 'sending') as sending
        from outbox where due_at is not null group by kind`,
    );
    this.#promises = new Promises(site, this.#look, expected, () => this.#skew());
  }

  async start(): Promise<void> {
    for (let index = 0; index < NODES; index++) await this.#boot();
  }

  close(): void {
    for (const node of this.#nodes) node.kill();
    this.#look.close();
  }

  /** Lives through a day, at whose end all promises must be kept. @throws {Error} that says which was broken. */
  async day(): Promise<void> {
    const begins = this.#time.now;
    this.#weather = this.#random.of(WEATHERS);
    const episodes = Array.from({ length: this.#random.of(EPISODES) }, () =>
      this.#random.below(DAY_MS - CALM_MS - 30 * MINUTE_MS),
    ).sort((a, b) => a - b);
    for (const at of episodes) {
      await this.#until(Math.max(this.#time.now, begins + at));
      this.#trouble();
      await this.#episode();
    }
    await this.#until(Math.max(this.#time.now, begins + DAY_MS - CALM_MS));
    this.#calm();
    if (this.#nodes.length < NODES) {
      await this.#noteTime();
      await this.#boot();
    }
    const calmSince = this.#time.now;
    const canary = `${this.#serial++}`;
    const text = await this.#ask(
      (node) => node.textCode(`canary-${canary}`, phoneOf(this.#serial)),
      1,
    );
    await this.#until(begins + DAY_MS);
    const node = this.#anyNode();
    await this.#finish(node.run(() => expireSms(node.store, node.clock())));
    // As all nodes do every few minutes.
    for (const { purgeClock } of this.#nodes) await this.#finish(node.run(() => purgeClock.look()));
    if (this.#random.below(3) === 0) {
      const { store, purgeClock } = node;
      await this.#finish(
        node.run(() => runHousekeeping({ store, purgeClock, kept: KEPT, onFailure: fail })),
      );
    }
    this.#promises.check(node.clock(), calmSince, text.known === 'done' ? text.result : undefined);
    this.#site.tally.days++;
  }

  /** A few minutes in which several things are asked for. */
  async #episode(): Promise<void> {
    const actions: Promise<void>[] = [];
    const begin = (action: Promise<void>) => {
      // It is waited for at the end; until then nobody else hears of its failure.
      action.catch(() => {});
      actions.push(action);
    };
    for (let count = 2 + this.#random.below(3); count > 0; count--) {
      const action = this.#random.below(10);
      if (action < 4) begin(this.#mail());
      else if (action < 7) begin(this.#code());
      else if (action < 8) begin(this.#text());
      else begin(this.#article());
      if (this.#random.below(8) === 0) begin(this.#cancel());
      if (this.#random.below(2) === 0) await this.#disturb();
      await this.#until(this.#time.now + this.#random.below(2 * MINUTE_MS));
    }
    await this.#finish(Promise.all(actions));
    await this.#until(this.#time.now + this.#random.below(20 * MINUTE_MS));
  }

  #trouble(): void {
    const { storeFaults, manners } = this.#site;
    const isAll = this.#weather === 'all';
    if (isAll || this.#weather === 'database') {
      Object.assign(storeFaults, {
        refused: 4 + this.#random.below(30),
        unknown: 4 + this.#random.below(20),
        slow: 20,
      });
    }
    if (isAll || this.#weather === 'messages') {
      Object.assign(manners, { deferred: 3, unheard: 4, slow: 4 });
      if (this.#random.below(2) === 0)
        manners.awayUntil = this.#time.now + this.#random.below(this.#random.of(AWAY_MS));
    }
  }

  #calm(): void {
    Object.assign(this.#site.storeFaults, { refused: 0, unknown: 0, slow: 0 });
    Object.assign(this.#site.manners, { awayUntil: 0, deferred: 0, unheard: 0, slow: 0 });
  }

  /** What happens to the machine. */
  async #disturb(): Promise<void> {
    const isAll = this.#weather === 'all';
    if (isAll || this.#weather === 'clock') {
      const by = this.#random.below(this.#random.of([10_000, 10 * MINUTE_MS, 3 * HOUR_MS]));
      // A database more than a day ahead of the machine is taken for one that a wrong clock wrote; that is another promise.
      const isBack = this.#random.below(2) === 0 && this.#ahead() + by < DAY_MS / 2;
      countFault(this.#site.tally, isBack ? 'clock set back' : 'clock set forward');
      // As a service reads its clock, every few seconds, though what it would do then is left out here.
      this.#skew();
      this.#site.clockError += isBack ? -by : by;
      this.#skew();
      this.#promises.clockWasSet(isBack ? -by : by);
    }
    if (isAll || this.#weather === 'crashes') {
      await this.#noteTime();
      const victim = this.#nodes.splice(this.#random.below(this.#nodes.length), 1)[0]!;
      victim.kill();
      countFault(this.#site.tally, 'node killed');
      this.#promises.nodeDied();
      if (this.#nodes.length === 0 || this.#random.below(2) === 0) await this.#boot();
    }
  }

  /** The time was written down a moment ago, as it is while anything depends on it. */
  async #noteTime(): Promise<void> {
    this.#ticking = true;
    await this.#until(this.#time.now + 4 * NOTE_EVERY_MS);
    this.#ticking = false;
  }

  async #boot(): Promise<void> {
    const node = new Node(this.#site);
    await node.start();
    this.#nodes.push(node);
  }

  /** How far the clocks of the nodes are apart; ms. */
  #skew(): number {
    const clocks = this.#nodes.map((node) => node.clock());
    if (clocks.length < 2) return 0;
    return Math.max(...clocks) - Math.min(...clocks);
  }

  /** How far the clock of the service is before that of the machine; ms. */
  #ahead(): number {
    return Math.max(0, ...this.#nodes.map((node) => node.clock() - node.wall()));
  }

  #anyNode(): Node {
    return this.#random.of(this.#nodes);
  }

  /** Asks, and asks again while it is not known whether it was done; refusals are repeated half of the time. */
  async #ask(call: (node: Node) => Promise<string>, most = 5): Promise<Answer> {
    let isOpen = false;
    for (let sent = 1; ; sent++) {
      const jumps = this.#promises.forwardJumps;
      const { known, result } = await this.#answerOf(call);
      if (known === 'done') return { known, result };
      if (known === 'limited') return { known: isOpen ? 'open' : known, result: undefined };
      isOpen ||= known === 'open';
      if (sent >= most || (known === 'refused' && !isOpen && this.#random.below(2) === 0)) break;
      await this.#time.sleep(1_000 + this.#random.below(MINUTE_MS), CLIENT);
      // The same call again is the same for ten minutes: of a clock that was set forward they may be over.
      if (this.#promises.forwardJumps > jumps) break;
    }
    return { known: isOpen ? 'open' : 'refused', result: undefined };
  }

  async #answerOf(call: (node: Node) => Promise<string>): Promise<Answer> {
    while (this.#nodes.length === 0) await this.#time.sleep(1_000, CLIENT);
    this.#site.tally.calls++;
    try {
      return { known: 'done', result: await call(this.#anyNode()) };
    } catch (error) {
      if (isFailureOf('database', error))
        return { known: error.kind === 'outcomeUnknown' ? 'open' : 'refused', result: undefined };
      if (isFailureOf('sms', error)) return { known: 'limited', result: undefined };
      if (error instanceof Ws01Error && error.code === 'RateLimited') {
        return { known: 'limited', result: undefined };
      }
      if (error instanceof Error && error.message === 'died')
        return { known: 'open', result: undefined };
      throw error;
    }
  }

  async #mail(): Promise<void> {
    const subject = `mail ${this.#serial++}`;
    const receiver = `r${this.#random.below(4)}@example.com`;
    const { known, result } = await this.#ask((node) => node.sendMail(receiver, subject));
    this.#promises.mailAsked(subject, known, result);
  }

  async #cancel(): Promise<void> {
    const receiverEmail = `r${this.#random.below(4)}@example.com`;
    const node = this.#anyNode();
    await node
      .run(() => changeMails(node.store, cancelling({ receiverEmail }), node.clock))
      .catch(() => {});
    this.#promises.mailsCancelled();
  }

  async #text(): Promise<void> {
    const serial = this.#serial++;
    await this.#ask((node) => node.textCode(`t-${serial}`, phoneOf(serial)), 1);
  }

  async #article(): Promise<void> {
    const guid = `article-${this.#serial++}`;
    const at = Math.min(...this.#nodes.map((node) => node.clock()));
    const { known } = await this.#ask((node) => node.insertArticle(guid));
    this.#promises.articleAsked(guid, known, at);
    if (known === 'done' && this.#random.below(3) === 0)
      await this.#ask((node) => node.deleteArticle(guid), 1);
  }

  /** A code is made and answered: wrongly, rightly, late, again. */
  async #code(): Promise<void> {
    const [user, phone] = [`u-${this.#serial++}`, phoneOf(this.#random.below(3))];
    const code = this.#promises.codeAsked();
    const made = await this.#ask((node) => node.createCode(user, phone), 1);
    if (made.known !== 'done') return;
    code.made();
    const wrong = String((Number(made.result) + 1) % 1_000_000).padStart(6, '0');
    for (let count = 1 + this.#random.below(8); count > 0; count--) {
      const isRight = this.#random.below(3) === 0;
      if (this.#random.below(3) === 0)
        await this.#time.sleep(this.#random.below(4 * MINUTE_MS), CLIENT);
      const asked = code.answering(isRight);
      const { known, result } = await this.#answerOf((node) =>
        node.verify(user, phone, isRight ? made.result! : wrong),
      );
      asked.answered(known, result);
    }
  }

  #until(end: number): Promise<void> {
    return this.#time.until(end, this.#nextDue);
  }

  /** Lets time pass until something is done. */
  async #finish(work: Promise<unknown>): Promise<void> {
    let over = false;
    const done = work.finally(() => {
      over = true;
    });
    done.catch(() => {});
    for (const since = this.#time.now; !over; await this.#until(this.#time.now + 1_000)) {
      if (this.#time.now - since > 2 * HOUR_MS) throw new Error('a call is never answered');
    }
    await done;
  }

  /** What waits, as it was after the last change of the database. */
  #waiting: { readonly count: number; readonly rows: readonly Waiting[] } = { count: -1, rows: [] };

  #whatWaits(): readonly Waiting[] {
    const { count } = this.#site.changes;
    if (this.#waiting.count !== count) {
      this.#waiting = { count, rows: this.#dueByKind.all() as unknown as readonly Waiting[] };
    }
    return this.#waiting.rows;
  }

  /** When an interval of the nodes next has something to do: its period tells what it is for. */
  readonly #nextDue = (): Idle => {
    const { now } = this.#time;
    const { changes } = this.#site;
    const rows = this.#whatWaits();
    const due = { mail: NEVER, sms: NEVER };
    for (const { clock, outages } of this.#nodes) {
      const at = clock();
      for (const { kind, due: rowDue } of rows) {
        if (rowDue !== null)
          due[kind] = Math.min(
            due[kind],
            now + Math.max(0, Math.max(rowDue, outages[kind].reopensAt) - at),
          );
      }
    }
    const isSending = (kind: Waiting['kind']) =>
      rows.some((row) => row.kind === kind && row.sending === 1);
    return ({ every, ranAt, owner }) => {
      if (every === NOTE_EVERY_MS) return this.#ticking ? now : NEVER;
      if (!(owner instanceof Part)) throw new Error('An interval whose purpose is unknown.');
      if (every === HEARTBEAT_EVERY_MS) return isSending(owner.kind) ? now : NEVER;
      if (!isSending(owner.kind)) return due[owner.kind];
      // Whoever has seen a lease since it was written sees nothing else until it ends.
      return ranAt > changes.at
        ? Math.min(due[owner.kind], Math.max(now, changes.at + LEASE_MS))
        : now;
    };
  };
}

/** Messages of a kind that wait for an instant. */
interface Waiting {
  readonly kind: 'mail' | 'sms';
  readonly due: number | null;
  /** Whether one of them is being sent. */
  readonly sending: 0 | 1;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Of the worker's signs of life, by its rhythm. */
const HEARTBEAT_EVERY_MS = 4_000;

function phoneOf(serial: number): string {
  return `+1212555${String(serial % 10_000).padStart(4, '0')}`;
}

function fail(error: unknown): never {
  throw error;
}
