import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { StoredFile } from '../../adapters/files/file-store.ts';
import { isFileName } from '../../adapters/files/names.ts';
import type { Files } from '../../adapters/files/open.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { dayOf, TRASHED_MS } from '../images/file-trash.ts';
import type { BackupLocation, Draft, Source, StoredBackup } from './location.ts';
import {
  type BackupManifest,
  BROKEN_OFF_MS,
  isNameOfMoment,
  MANIFEST_FILE,
  parseManifest,
  tryManifest,
} from './manifest.ts';
import { makeWorkFolder } from './work-folders.ts';

/** The names of a backup's image files, one per line. */
const FILE_LIST = 'files.txt';

/** Opens the objects below a part of the location's prefix. */
export type OpenPart = (part: 'backups' | 'files') => Promise<Files>;

/**
 * Backups in S3: `backups/NAME/` contains the database and the manifest of each, `files/` the image
 * files of all, each once.
 */
export class S3BackupLocation implements BackupLocation {
  readonly shown: string;
  readonly #backups: Files;
  readonly #files: Files;
  readonly #workIn: string;
  readonly #clock: Clock;

  private constructor(shown: string, backups: Files, files: Files, workIn: string, clock: Clock) {
    this.shown = shown;
    this.#backups = backups;
    this.#files = files;
    this.#workIn = workIn;
    this.#clock = clock;
  }

  /** @param workIn a local folder with room for the database. */
  static async open(
    shown: string,
    openPart: OpenPart,
    workIn: string,
    clock: Clock = Date.now,
  ): Promise<S3BackupLocation> {
    const [backups, files] = [await openPart('backups'), await openPart('files')];
    return new S3BackupLocation(shown, backups, files, workIn, clock);
  }

  async list(): Promise<readonly StoredBackup[]> {
    const found: StoredBackup[] = [];
    for await (const { name, bytes } of this.#manifests())
      found.push({ name, ...(await tryManifest(() => this.#manifestOf(name), bytes, name)) });
    return found.sort((a, b) => (a.name < b.name ? 1 : -1));
  }

  async begin(name: string): Promise<Draft> {
    const present = new Set<string>();
    for await (const file of this.#files.store.list()) present.add(file.name);
    const folder = await makeWorkFolder(this.#workIn, 'backup');
    const { store } = this.#backups;
    const keep = (file: string) => store.keep(join(folder, file), `${name}/${file}`);
    return {
      folder,
      files: this.#files,
      rereads: false,
      reuse: async (file) => present.has(file),
      storeDatabase: keep,
      fetchDatabase: (file, to) => this.#fetch(`${name}/${file}`, to),
      finish: async (manifest, files) => {
        await writeFile(join(folder, FILE_LIST), files.map((file) => `${file}\n`).join(''));
        await keep(FILE_LIST);
        await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
        await keep(MANIFEST_FILE);
        await rm(folder, { recursive: true, force: true });
      },
      abandon: async () => {
        await rm(folder, { recursive: true, force: true });
        await this.#remove(name).catch(() => {});
      },
    };
  }

  async open(name: string): Promise<Source | undefined> {
    let manifest: BackupManifest | undefined;
    for await (const stored of this.#manifests())
      if (stored.name === name) manifest = parseManifest(await this.#manifestOf(name), name);
    if (manifest === undefined) return undefined;
    const { file } = manifest.database;
    return {
      manifest,
      database: file,
      files: this.#files.store,
      fetchDatabase: (to) => this.#fetch(`${name}/${file}`, to),
      readDatabase: () => this.#backups.store.read(`${name}/${file}`),
      imageNames: () => this.#linesOf(name),
    };
  }

  async prune(names: readonly string[]): Promise<string | undefined> {
    for (const name of names) await this.#remove(name);
    // The list is stored when everything else is there: a backup that has lost its manifest keeps
    // its files.
    const listed = new Set<string>();
    for await (const { name } of this.#backups.store.list())
      if (name.endsWith(`/${FILE_LIST}`)) listed.add(name.slice(0, -FILE_LIST.length - 1));
    const before = this.#clock() - BROKEN_OFF_MS;
    for await (const { name, storedAt } of this.#backups.store.list()) {
      const [backup = ''] = name.split('/');
      if (!listed.has(backup) && isNameOfMoment(backup) && storedAt < before)
        await this.#backups.store.remove(name);
    }
    return this.#trashUnnamed(listed, before);
  }

  /**
   * Moves the files that no backup names to the trash, and removes what has been there for long.
   * @returns why not, where a list is not whole.
   */
  async #trashUnnamed(backups: Iterable<string>, before: Instant): Promise<string | undefined> {
    const named = new Set<string>();
    for (const name of backups) {
      const files = await this.#listOf(name);
      const count = (await this.#tryManifest(name))?.images?.count;
      if (count !== undefined && count !== files.length)
        return `The list of files of ${name} is damaged, so none is removed; remove that backup.`;
      for (const file of files) named.add(file);
    }
    const { store } = this.#files;
    const now = this.#clock();
    for await (const { name, storedAt } of store.list())
      if (!named.has(name) && storedAt < before) await store.trash.take(name, dayOf(now));
    for await (const file of store.trash.list()) {
      if (named.has(file.name)) await store.trash.putBack(file);
      else if (Date.parse(file.day) < now - TRASHED_MS) await store.trash.remove(file);
    }
    return undefined;
  }

  async #listOf(name: string): Promise<readonly string[]> {
    return Array.fromAsync(this.#linesOf(name));
  }

  async *#linesOf(name: string): AsyncGenerator<string> {
    const input = await this.#backups.store.read(`${name}/${FILE_LIST}`);
    yield* createInterface({ input });
  }

  /** `undefined` where there is none that can be read. */
  async #tryManifest(name: string): Promise<BackupManifest | undefined> {
    const stored = await this.#backups.store.find(`${name}/${MANIFEST_FILE}`);
    if (stored === undefined) return undefined;
    return (await tryManifest(() => this.#manifestOf(name), stored.bytes, name)).manifest;
  }

  close(): void {
    this.#backups.store.close();
    this.#files.store.close();
  }

  /** The names of the backups, with the lengths of their manifests. */
  async *#manifests(): AsyncIterable<Pick<StoredFile, 'name' | 'bytes'>> {
    for await (const { name, bytes } of this.#backups.store.list()) {
      const backup = name.slice(0, -MANIFEST_FILE.length - 1);
      if (name === `${backup}/${MANIFEST_FILE}` && isFileName(backup))
        yield { name: backup, bytes };
    }
  }

  async #manifestOf(name: string): Promise<string> {
    return text(await this.#backups.store.read(`${name}/${MANIFEST_FILE}`));
  }

  /** First it stops being a backup, then it is removed. */
  async #remove(name: string): Promise<void> {
    const { store } = this.#backups;
    await store.remove(`${name}/${MANIFEST_FILE}`);
    await store.remove(`${name}/${FILE_LIST}`);
    const files: string[] = [];
    for await (const file of store.list())
      if (file.name.startsWith(`${name}/`)) files.push(file.name);
    for (const file of files) await store.remove(file);
  }

  async #fetch(name: string, to: string): Promise<void> {
    await pipeline(
      await this.#backups.store.read(name),
      createWriteStream(to, { flags: 'wx', mode: 0o600 }),
    );
  }
}
