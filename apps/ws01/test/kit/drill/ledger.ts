import type pg from 'pg';
import type { CallAnswer } from '../bindings.ts';

/** What a call asks for, once, however often it is repeated. */
export type EffectKind =
  | 'article'
  | 'removal'
  | 'advert'
  | 'mail'
  | 'image'
  | 'review'
  | 'link'
  | 'code';

/**
 * What the client knows: it was done; nothing was done, as every answer said; or at least one answer left it open and
 * none after that was a yes.
 */
export type Knowledge = 'done' | 'refused' | 'open';

/** What one answer says of the effect. `undefined`: what no answer may say. */
type Verdict = Knowledge | undefined;

export interface Effect {
  readonly kind: EffectKind;
  readonly key: string;
  readonly at: number;
  known: Knowledge;
  /** Whether any answer has left it open: then the server may carry it out later than the next answer. */
  wasOpen: boolean;
}

/** What a ledger finds in the database that is not as it was answered; empty lists when all is well. */
export interface Findings {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[];
  /** There more often than once. */
  readonly doubled: readonly string[];
  /** There, though each answer said that nothing was done. */
  readonly denied: readonly string[];
}

/** One call that was made. */
interface Call {
  readonly at: number;
  readonly ms: number;
  readonly verdict: Verdict;
}

/** Tells whether an answer is honest by its form, and what it says. @param proxied whether a proxy may answer for a node. */
export function verdictOf(answer: CallAnswer | undefined, proxied: boolean): Verdict {
  if (answer === undefined) return 'open';
  const { status, code, message = '' } = answer;
  if (status === 200) return 'done';
  if (proxied && (status === 502 || status === 504)) return 'open';
  if (code === 'StorageUnavailable' && /not known whether this was done/.test(message))
    return 'open';
  if (code === 'StorageUnavailable' && /nothing was done/.test(message)) return 'refused';
  return code === 'Busy' ? 'refused' : undefined;
}

/** What clients asked for and were told, to be compared with what is there. */
export class Ledger {
  readonly effects: Effect[] = [];
  readonly calls: Call[] = [];
  /** Answers that no call may get, and reads that contradict what was acknowledged. */
  readonly dishonest: string[] = [];

  begin(kind: EffectKind, key: string): Effect {
    const effect: Effect = { kind, key, at: performance.now(), known: 'refused', wasOpen: false };
    this.effects.push(effect);
    return effect;
  }

  note(at: number, verdict: Verdict): void {
    this.calls.push({ at, ms: performance.now() - at, verdict });
  }

  count(known: Knowledge): number {
    return this.effects.filter((effect) => effect.known === known).length;
  }

  /**
   * Compares it with the database.
   * @param arrived the subjects of mails that arrived, as often as they did under another Message-ID.
   */
  async compare(client: pg.Client, arrived: ReadonlyMap<string, number>): Promise<Findings> {
    const there = new Map<EffectKind, ReadonlyMap<string, number>>();
    for (const [kind, sql] of Object.entries(COUNTED) as [EffectKind, string][]) {
      const { rows } = await client.query<{ key: string; n: string }>(sql);
      there.set(kind, new Map(rows.map(({ key, n }) => [key, Number(n)])));
    }
    const lost: string[] = [];
    const doubled: string[] = [];
    const denied: string[] = [];
    for (const { kind, key, known } of this.effects) {
      const times = there.get(kind)!.get(key) ?? 0;
      const name = `${kind} ${key}`;
      if (times > 1) doubled.push(name);
      if (known === 'done' && times === 0) lost.push(name);
      if (known === 'refused' && times > 0) denied.push(name);
      if (kind !== 'mail') continue;
      const mails = arrived.get(key) ?? 0;
      if (mails > 1) doubled.push(`${name} arrived under ${mails} Message-IDs`);
      if (known === 'done' && mails === 0) lost.push(`${name} did not arrive`);
      if (known === 'refused' && mails > 0) denied.push(`${name} arrived`);
    }
    const { rows } = await client.query<{ key: string }>(HALF);
    return { lost, doubled, denied: [...denied, ...rows.map(({ key }) => `${key} is half there`)] };
  }
}

/** How often each effect is there, by the key that the client knows it by. */
const COUNTED: Readonly<Record<EffectKind, string>> = {
  article: `select target_key as key, count(*) as n from audit where action = 'article.create' group by 1`,
  removal: `select target_key as key, count(*) as n from audit where action = 'article.trash' group by 1`,
  advert: 'select title as key, count(*) as n from adverts group by 1',
  mail: `select subject as key, count(*) as n from mails group by 1`,
  image: 'select guid as key, count(*) as n from images group by 1',
  review: 'select subject as key, count(*) as n from reviews group by 1',
  link: 'select target as key, count(*) as n from links group by 1',
  code: `select target_key as key, count(*) as n from audit where action = 'code.verify' group by 1`,
};

/** What one transaction writes in several tables, and is in some of them only. */
const HALF = `select 'article ' || guid as key from articles a
    where not exists (select 1 from audit where action = 'article.create' and target_key = a.guid)
  union all select 'article ' || guid from articles a
    where (select count(*) from postings where record_key = a.guid and kind = 1) <> 1
  union all select 'mail ' || id from mails m where not exists (select 1 from outbox where id = m.id)
  union all select 'image ' || guid from images i where not exists (select 1 from image_files where hash = i.hash)`;
