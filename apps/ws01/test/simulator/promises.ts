import type { DatabaseSync } from 'node:sqlite';
import { DAY_MS } from '@ws01/asmx/time';
import { RATES, type Site } from './node.ts';
import type { KEPT } from './world.ts';

/** How long a code lives (contract 8), and by how much more a restart may miss the time that was written down last; ms. */
const CODE_MS = 180_000;
const RESTART_MS = 30_000;
const MAX_ATTEMPTS = 5;
/** A process that dies so soon after it told that a code was right may not have written down that it did; ms. */
const TELLING_MS = 60_000;
/** For so long an answer that was right finds what it came to, when its caller was not told; ms. */
const REPEAT_MS = 600_000;

/** What is promised of codes. */
export interface Expected {
  readonly codesLiveMs: number;
}

export const EXPECTED: Expected = { codesLiveMs: CODE_MS };

interface AskedMail {
  readonly known: string;
  readonly id: string | undefined;
}

/** What the service has promised, as its clients were told; checked against what is there and what went out. */
export class Promises {
  readonly #site: Site;
  readonly #look: DatabaseSync;
  readonly #expected: Expected;
  readonly #skew: () => number;
  #mails = new Map<string, AskedMail>();
  /** Message-IDs of mails that were cancelled, and since when; ms of simulated time. */
  readonly #cancelled = new Map<string, number>();
  #articles = new Map<string, { readonly known: string; readonly at: number }>();
  /** How often the clock was set forward. */
  forwardJumps = 0;
  #backSteps = 0;
  /** When nodes died; ms of simulated time. */
  readonly #deaths: number[] = [];
  /** The latest time that any node had. */
  #latest = 0;

  constructor(site: Site, look: DatabaseSync, expected: Expected, skew: () => number) {
    this.#expected = expected;
    this.#skew = skew;
    this.#site = site;
    this.#look = look;
  }

  clockWasSet(by: number): void {
    if (by > 0) this.forwardJumps++;
    else this.#backSteps++;
  }

  nodeDied(): void {
    this.#deaths.push(this.#site.time.now);
  }

  mailAsked(subject: string, known: string, id: string | undefined): void {
    this.#mails.set(subject, { known, id });
  }

  mailsCancelled(): void {
    const rows = this.#all(
      `select m.message_id as id from mails m join outbox o on o.id = m.id where o.state = 'cancelled'`,
    );
    for (const { id } of rows)
      if (!this.#cancelled.has(String(id))) this.#cancelled.set(String(id), this.#site.time.now);
  }

  articleAsked(guid: string, known: string, at: number): void {
    this.#articles.set(guid, { known, at });
  }

  /** Follows a code through its life. */
  codeAsked() {
    const { time } = this.#site;
    const [begun, jumps, backs, deaths] = [
      time.now,
      this.forwardJumps,
      this.#backSteps,
      this.#deaths.length,
    ];
    const skew = this.#skew();
    let madeAt = begun;
    let attempts = 0;
    /** When its caller was told that it was right. */
    let rightAt: number | undefined;
    let wasOpen = false;
    /** When a right answer in time was last asked for whose outcome its caller was not told. */
    let untoldAt: number | undefined;
    return {
      made: () => {
        madeAt = time.now;
      },
      answering: (isRight: boolean) => {
        const asked = time.now;
        return {
          answered: (known: string, result: string | undefined) => {
            const apart = Math.max(skew, this.#skew());
            if (apart > RESTART_MS) broken(`the clocks of the nodes are ${apart} ms apart`);
            const restarts = this.#deaths.length > deaths ? RESTART_MS : apart;
            const lives = this.#expected.codesLiveMs * 1.001 + restarts + 1;
            // What has expired by the clock of one node may live by that of another: it costs no attempt.
            if (result?.startsWith('CodeExpired') !== true) attempts++;
            this.#site.tally.checks++;
            const inTime = asked - madeAt <= lives;
            if (known !== 'done') {
              wasOpen = true;
              if (known === 'open' && isRight && inTime) untoldAt = time.now;
              return;
            }
            if (result === '') {
              if (!isRight) broken('a wrong code was right');
              if (rightAt !== undefined && !this.#diedWithin(rightAt, TELLING_MS))
                broken('a code was right twice');
              // The same answer finds what it came to, also when the code has expired since (semantics 5.10).
              const mayFind = untoldAt !== undefined && asked - untoldAt <= REPEAT_MS + restarts;
              if (!inTime && !mayFind) broken(`a code was right after ${asked - madeAt} ms`);
              if (!wasOpen && attempts > MAX_ATTEMPTS)
                broken(`a code was right at answer ${attempts}`);
              rightAt ??= time.now;
              return;
            }
            const untouched =
              this.forwardJumps === jumps &&
              this.#backSteps === backs &&
              !wasOpen &&
              rightAt === undefined;
            const surelyAlive = time.now - begun < CODE_MS - restarts;
            if (isRight && untouched && surelyAlive && attempts <= MAX_ATTEMPTS)
              broken(`a right code came to ${result}`);
          },
        };
      },
    };
  }

  #diedWithin(since: number, ms: number): boolean {
    return this.#deaths.some((at) => at >= since && at <= since + ms);
  }

  /**
   * Checks everything.
   * @param now by the service.
   * @param calmSince since when nothing has been in the way; ms of simulated time.
   * @param text a text message that was asked for then.
   */
  check(now: number, calmSince: number, text: string | undefined): void {
    this.#latest = Math.max(this.#latest, now);
    this.#site.tally.checks +=
      this.#mails.size + this.#site.mails.length + this.#site.texts.length + this.#articles.size;
    this.#checkMails();
    this.#checkTexts(text, calmSince);
    this.#checkArticles();
    this.#checkBudgets();
    this.#forget();
  }

  #checkMails(): void {
    const rows = new Map(
      this.#all(
        `select m.subject, m.id, m.message_id, o.state, o.attempts, o.finished_at from mails m join outbox o on o.id = m.id`,
      ).map((row) => [String(row.id), row]),
    );
    const subjects = new Map<string, number>();
    for (const { subject } of rows.values())
      subjects.set(String(subject), (subjects.get(String(subject)) ?? 0) + 1);
    const copies = Map.groupBy(this.#site.mails, ({ subject }) => subject);
    for (const [subject, { known, id }] of this.#mails) {
      const sent = copies.get(subject) ?? [];
      const ids = new Set(sent.map(({ messageId }) => messageId));
      if (ids.size > 1 || (subjects.get(subject) ?? 0) > 1)
        broken(`${subject} was sent as ${ids.size} mails`);
      if ((known === 'refused' || known === 'limited') && subjects.has(subject))
        broken(`${subject} was refused and is there`);
      if (known !== 'done') continue;
      const row = rows.get(id!) ?? broken(`${subject} was accepted and is lost`);
      if (!['sent', 'cancelled', 'failed'].includes(String(row.state)))
        broken(`${subject} is still ${row.state} after the calm`);
      if (row.state === 'sent' && sent.length === 0)
        broken(`${subject} is said to be sent and is not`);
      if (row.state === 'failed') broken(`${subject} failed`);
      if (sent.length > Number(row.attempts))
        broken(`${subject} was sent ${sent.length} times in ${row.attempts} attempts`);
    }
    for (const { messageId, subject, begunAt } of this.#site.mails) {
      const since = this.#cancelled.get(messageId);
      if (since !== undefined && begunAt > since)
        broken(`${subject} was sent after it was cancelled`);
    }
  }

  #checkTexts(text: string | undefined, calmSince: number): void {
    if (text === undefined) return;
    const sent = this.#site.texts.filter(({ messageId }) => messageId === text);
    if (sent.length !== 1) broken(`a text message was sent ${sent.length} times in the calm`);
    if (sent[0]!.at - calmSince > CODE_MS)
      broken('a text message was sent after its code had expired');
  }

  #checkArticles(): void {
    const postings = new Map<string, number>();
    for (const { key, n } of this.#all(
      'select record_key as key, count(*) as n from postings group by 1',
    )) {
      postings.set(String(key), Number(n));
    }
    const kept = POSTINGS_KEPT_MS;
    for (const [guid, { known, at }] of this.#articles) {
      const times = postings.get(guid) ?? 0;
      if (times > 1) broken(`${guid} counts ${times} times`);
      if (known === 'done' && times === 0 && this.#latest - at < kept)
        broken(`${guid} was accepted and does not count`);
      if ((known === 'refused' || known === 'limited') && times > 0)
        broken(`${guid} was refused and counts`);
    }
  }

  #checkBudgets(): void {
    for (const [name, [rate]] of Object.entries(RATES)) {
      const over = this.#all(
        `select key, used from budgets where name = '${name} ${rate.window}' and used > ${rate.limit}`,
      );
      if (over.length > 0) broken(`the budget ${name} was exceeded: ${JSON.stringify(over)}`);
    }
    const { limit, window } = RATES.mailsPerRecipient[0];
    const rows = this.#all(
      'select receiver_key as key, created_at as at from mails order by created_at',
    );
    for (const [key, mails] of Map.groupBy(rows, (row) => String(row.key))) {
      for (let index = 2 * limit; index < mails.length; index++) {
        const span = Number(mails[index]!.at) - Number(mails[index - 2 * limit]!.at);
        // A node that has begun anew may be so much behind.
        if (span < window - RESTART_MS) broken(`${key} got more mails than two windows allow`);
      }
    }
  }

  /** What is older than anything is looked at for. */
  #forget(): void {
    this.#mails = new Map();
    this.#site.mails.length = 0;
    this.#site.texts.length = 0;
    for (const [guid, { at }] of this.#articles)
      if (this.#latest - at > POSTINGS_KEPT_MS + DAY_MS) this.#articles.delete(guid);
  }

  #all(sql: string): readonly Readonly<Record<string, unknown>>[] {
    return this.#look.prepare(sql).all() as Readonly<Record<string, unknown>>[];
  }
}

const POSTINGS_KEPT: (typeof KEPT)['postings'] = 6;
const POSTINGS_KEPT_MS = POSTINGS_KEPT * DAY_MS;

function broken(promise: string): never {
  throw new Error(promise);
}
