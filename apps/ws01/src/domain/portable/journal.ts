import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Kysely } from 'kysely';
import type { Instant, Tables } from '../../store/tables/tables.ts';

/** The progress of an import in one file, and its results. */
export interface Progress {
  readonly offset: number;
  readonly line: number;
  readonly added: number;
  readonly changed: number;
  readonly present: number;
  readonly refused: number;
  /** Length of the file of refused rows; bytes. */
  readonly refusedBytes: number;
}

export const START: Progress = {
  offset: 0,
  line: 1,
  added: 0,
  changed: 0,
  present: 0,
  refused: 0,
  refusedBytes: 0,
};

/** Returns the progress of an interrupted import by kind; empty if none was interrupted. */
export async function readJournal(
  db: Kysely<Tables>,
  id: string,
): Promise<ReadonlyMap<string, Progress>> {
  const rows = await db.selectFrom('imports').selectAll().where('id', '=', id).execute();
  return new Map(
    rows.map(({ kind, offset_bytes, line, added, changed, present, refused, refused_bytes }) => {
      const counts = { added, changed: changed ?? 0, present, refused };
      return [kind, { offset: offset_bytes, line, ...counts, refusedBytes: refused_bytes }];
    }),
  );
}

/** Stores the progress in the transaction of its rows. */
export async function writeJournal(
  tx: Kysely<Tables>,
  id: string,
  kind: string,
  { offset, line, added, changed, present, refused, refusedBytes }: Progress,
  now: Instant,
): Promise<void> {
  const row = {
    offset_bytes: offset,
    line,
    added,
    changed,
    present,
    refused,
    refused_bytes: refusedBytes,
    updated_at: now,
  };
  await tx
    .insertInto('imports')
    .values({ id, kind, ...row })
    .onConflict((conflict) => conflict.columns(['id', 'kind']).doUpdateSet(row))
    .execute();
}

export async function forgetJournal(tx: Kysely<Tables>, id: string): Promise<void> {
  await tx.deleteFrom('imports').where('id', '=', id).execute();
}

/** What became of a row, and of a record that is no longer in the folder. */
type Fate = 'refused' | 'taken' | 'kept' | 'removed';

/** A row that was refused, or taken with a remark; or a record that the folder lacks. */
export interface JournalEntry {
  readonly kind: string;
  /** Sentences without their ends. */
  readonly reasons: readonly string[];
  readonly was: Fate;
  /**
   * The row as in its file, in Base64 where it is no text in the charset that was said; or the
   * record's key.
   */
  readonly of:
    | { readonly line: number; readonly row: string }
    | { readonly line: number; readonly base64: string }
    | { readonly key: string };
}

/** How many rows have a reason. */
export interface ReasonCount {
  readonly kind: string;
  /** Without the values that it names. */
  readonly reason: string;
  readonly rows: number;
  readonly was: Fate;
}

/** How many different reasons are counted; foreign files may have one for each row. */
const MOST_REASONS = 1_000;

/**
 * The file of refused rows, one JSON object per line, readable by its owner alone. It is created
 * with the first row.
 */
export class RefusedRows {
  readonly #path: string;
  readonly #counts = new Map<string, ReasonCount>();
  #put: readonly JournalEntry[] = [];
  #file: FileHandle | undefined;
  #length: number;

  /** @param length the length that an earlier run confirmed; the rest is cut off. */
  constructor(path: string, length = 0) {
    this.#path = path;
    this.#length = length;
  }

  /** Cuts off rows that an earlier run wrote but did not commit, and counts the others. */
  async begin(): Promise<void> {
    if (this.#length === 0) return;
    const file = await this.#open();
    await file.truncate(this.#length);
    const lines = createInterface(file.createReadStream({ start: 0, autoClose: false }));
    for await (const line of lines) this.#count(entryIn(line));
  }

  /**
   * Writes rows after the confirmed ones, durably; until {@link keep} a further call overwrites
   * them.
   * @returns the length of the file with them; bytes.
   */
  async put(refusals: readonly JournalEntry[]): Promise<number> {
    this.#put = refusals;
    if (refusals.length === 0) return this.#length;
    const bytes = Buffer.from(refusals.map(lineOf).join(''));
    const file = await this.#open();
    await file.write(bytes, 0, bytes.length, this.#length);
    await file.datasync();
    return this.#length + bytes.length;
  }

  /** Confirms the file up to a length. */
  keep(length: number): void {
    this.#length = length;
    for (const entry of this.#put) this.#count(entry);
    this.#put = [];
  }

  /** The reasons of the rows in the file, those of most rows first. */
  get reasons(): readonly ReasonCount[] {
    return [...this.#counts.values()].toSorted((one, other) => other.rows - one.rows);
  }

  #count({ kind, reasons, was }: Counted): void {
    for (const named of reasons) {
      const reason = withoutValues(named);
      const name = `${kind} ${was} ${reason}`;
      const before = this.#counts.get(name);
      if (before === undefined && this.#counts.size === MOST_REASONS) continue;
      this.#counts.set(name, { kind, reason, was, rows: (before?.rows ?? 0) + 1 });
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #open(): Promise<FileHandle> {
    this.#file ??= await open(this.#path, this.#length === 0 ? 'w' : 'r+', 0o600);
    return this.#file;
  }
}

/** What is counted of an entry. */
type Counted = Pick<JournalEntry, 'kind' | 'reasons' | 'was'>;

/** A reason without the values that it quotes. */
const withoutValues = (reason: string): string => reason.replaceAll(/"(?:[^"\\]|\\.)*"/g, '…');

/** What is counted of a line that {@link lineOf} made. */
function entryIn(line: string): Counted {
  const { kind, was, reason } = JSON.parse(line);
  return { kind, was, reasons: withoutValues(reason).replace(/\.$/, '').split('. ') };
}

function lineOf({ kind, reasons, was, of }: JournalEntry): string {
  const reason = `${reasons.join('. ')}.`;
  return `${JSON.stringify({ kind, ...of, was, reason })}\n`;
}
