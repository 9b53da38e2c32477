import { type FileHandle, open } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import type { Instant, Tables } from '../../store/tables/tables.ts';

/** How far the reading of one file is, and what came of it. */
export interface Progress {
  readonly offset: number;
  readonly line: number;
  readonly added: number;
  readonly present: number;
  readonly refused: number;
  /** How long the file of refused rows is; bytes. */
  readonly refusedBytes: number;
}

export const START: Progress = { offset: 0, line: 1, added: 0, present: 0, refused: 0, refusedBytes: 0 };

/** Tells how far each kind of a bringing-in is; nothing where none was interrupted. */
export async function readJournal(db: Kysely<Tables>, id: string): Promise<ReadonlyMap<string, Progress>> {
  const rows = await db.selectFrom('imports').selectAll().where('id', '=', id).execute();
  return new Map(
    rows.map(({ kind, offset_bytes, line, added, present, refused, refused_bytes }) => [
      kind,
      { offset: offset_bytes, line, added, present, refused, refusedBytes: refused_bytes },
    ]),
  );
}

/** Writes it down, in the transaction of the rows: neither is there without the other. */
export async function writeJournal(
  tx: Kysely<Tables>,
  id: string,
  kind: string,
  { offset, line, added, present, refused, refusedBytes }: Progress,
  now: Instant,
): Promise<void> {
  const row = { offset_bytes: offset, line, added, present, refused, refused_bytes: refusedBytes, updated_at: now };
  await tx
    .insertInto('imports')
    .values({ id, kind, ...row })
    .onConflict((conflict) => conflict.columns(['id', 'kind']).doUpdateSet(row))
    .execute();
}

export async function forgetJournal(tx: Kysely<Tables>, id: string): Promise<void> {
  await tx.deleteFrom('imports').where('id', '=', id).execute();
}

/** A row that was not taken. */
export interface JournalEntry {
  readonly kind: string;
  readonly line: number;
  readonly reason: string;
  /** As it stands in its file, where it is text and not long. */
  readonly row?: string;
}

/** The file of refused rows, one JSON object a line; only its owner reads it. Made with the first of them. */
export class RefusedRows {
  readonly #path: string;
  #file: FileHandle | undefined;
  #length: number;

  /** @param length what a former run wrote for certain; the rest is cut off. */
  constructor(path: string, length = 0) {
    this.#path = path;
    this.#length = length;
  }

  /** Cuts off what a former run wrote last and did not come to count. */
  async begin(): Promise<void> {
    if (this.#length > 0) await (await this.#open()).truncate(this.#length);
  }

  /**
   * Writes rows behind those that are kept, and brings them to the disk; once more in the same place until they are kept.
   * @returns how long the file is with them; bytes.
   */
  async put(refusals: readonly JournalEntry[]): Promise<number> {
    if (refusals.length === 0) return this.#length;
    const bytes = Buffer.from(refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join(''));
    const file = await this.#open();
    await file.write(bytes, 0, bytes.length, this.#length);
    await file.datasync();
    return this.#length + bytes.length;
  }

  /** Says that the file counts up to a length. */
  keep(length: number): void {
    this.#length = length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #open(): Promise<FileHandle> {
    this.#file ??= await open(this.#path, this.#length === 0 ? 'w' : 'r+', 0o600);
    return this.#file;
  }
}
