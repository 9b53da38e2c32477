import { createReadStream } from 'node:fs';
import { copyFile, link, lstat, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { DiskFileStore } from '../../adapters/files/disk.ts';
import { makeFolder, sync, writeDurably } from '../../adapters/files/durable.ts';
import { ifMissing, isMissing } from '../../adapters/files/errors.ts';
import { namesIn } from '../../adapters/files/folder.ts';
import { placeIn } from '../../adapters/files/names.ts';
import { openFiles } from '../../adapters/files/open.ts';
import { DamagedCopy } from '../../store/snapshot.ts';
import type { BackupLocation, Draft, Source, StoredBackup } from './location.ts';
import {
  type BackupManifest,
  BROKEN_OFF_MS,
  DATABASES,
  isNameOfMoment,
  MANIFEST_FILE,
  parseManifest,
  tryManifest,
} from './manifest.ts';

/** A folder with a subfolder per backup. Files that backups share are hard links. */
export class DiskBackupLocation implements BackupLocation {
  readonly #folder: string;
  readonly #links: boolean;

  /** @param links whether files of earlier backups are hard-linked, or copied. */
  constructor(folder: string, { links }: { readonly links: boolean }) {
    this.#folder = folder;
    this.#links = links;
  }

  get shown(): string {
    return this.#folder;
  }

  async list(): Promise<readonly StoredBackup[]> {
    const names = (await namesIn(this.#folder)).filter(isNameOfMoment).sort().reverse();
    const found: StoredBackup[] = [];
    for (const name of names) {
      const path = join(this.#folder, name, MANIFEST_FILE);
      const entry = await stat(path).catch(ifMissing(undefined));
      if (entry === undefined) continue;
      const bytes = entry.isFile() ? entry.size : Number.POSITIVE_INFINITY;
      found.push({ name, ...(await tryManifest(() => readFile(path, 'utf8'), bytes, name)) });
    }
    return found;
  }

  async begin(name: string): Promise<Draft> {
    await makeFolder(this.#folder);
    const [earlier] = this.#links ? await this.list() : [];
    const folder = await mkdtemp(join(this.#folder, `${name}.partial-`));
    const files = await openFiles({ kind: 'disk', folder: join(folder, 'files') }, folder);
    const to = join(this.#folder, name);
    return {
      folder,
      files,
      rereads: true,
      reuse: async (file) =>
        earlier !== undefined && linkCopy(join(this.#folder, earlier.name), folder, file),
      storeDatabase: async (file) => {
        await sync(join(folder, file));
      },
      fetchDatabase: (file, path) => copyFile(join(folder, file), path),
      finish: async (manifest) => {
        await rm(join(folder, 'files', 'incoming'), { recursive: true, force: true });
        await writeDurably(
          join(folder, MANIFEST_FILE),
          `${JSON.stringify(manifest, null, 2)}\n`,
          'w',
        );
        await sync(folder);
        await rename(folder, to);
        await sync(this.#folder);
      },
      abandon: () => rm(folder, { recursive: true, force: true }),
    };
  }

  async open(name: string): Promise<Source | undefined> {
    const folder = join(this.#folder, name);
    const database = (await namesIn(folder)).find((entry) =>
      DATABASES.some((known) => known === entry),
    );
    if (database === undefined) return undefined;
    const kept = join(folder, 'files');
    const { spool, turns } = await openFiles({ kind: 'disk', folder: kept }, folder);
    const store = new BackupFiles(kept, spool, turns);
    return {
      manifest: await readManifest(folder),
      database,
      files: store,
      async fetchDatabase(to) {
        await assertFile(join(folder, database));
        await copyFile(join(folder, database), to);
      },
      async readDatabase() {
        await assertFile(join(folder, database));
        return createReadStream(join(folder, database));
      },
      async *imageNames() {
        for await (const { name: image } of store.list()) yield image;
      },
    };
  }

  async prune(names: readonly string[]): Promise<undefined> {
    for (const name of names) {
      // First it stops being a backup, then it is removed.
      const removed = join(this.#folder, `${name}.partial-removed`);
      await rename(join(this.#folder, name), removed);
      await rm(removed, { recursive: true, force: true });
    }
    for (const name of await namesIn(this.#folder)) {
      if (!/^ws01-\d{8}T\d{6}Z\.partial-/.test(name)) continue;
      const { mtimeMs } = await stat(join(this.#folder, name));
      if (name.endsWith('-removed') || Date.now() - mtimeMs > BROKEN_OFF_MS) {
        await rm(join(this.#folder, name), { recursive: true, force: true });
      }
    }
  }

  close(): void {}
}

/**
 * The image files of a backup. A pipe in place of one would hold a thread until somebody writes to
 * it.
 */
class BackupFiles extends DiskFileStore {
  override async read(...wanted: Parameters<DiskFileStore['read']>): Promise<Readable> {
    await this.withPath(wanted[0], assertFile);
    return super.read(...wanted);
  }
}

/**
 * Hard-links a file of an earlier backup.
 * @returns `false` if it does not exist or cannot be linked.
 */
async function linkCopy(earlier: string, folder: string, name: string): Promise<boolean> {
  try {
    const path = placeIn(join('files', 'kept'), name);
    await makeFolder(dirname(join(folder, path)));
    await link(join(earlier, path), join(folder, path));
    return true;
  } catch {
    return false;
  }
}

/**
 * Looks before a file is read whose folder others may have written: a pipe would never end, and a
 * link leads elsewhere.
 * @throws {DamagedCopy} for what is no file.
 */
async function assertFile(path: string): Promise<void> {
  if (!(await lstat(path)).isFile()) throw new DamagedCopy(`${path} is not a file.`);
}

async function readManifest(folder: string): Promise<BackupManifest | undefined> {
  const path = join(folder, MANIFEST_FILE);
  try {
    await assertFile(path);
    return parseManifest(await readFile(path, 'utf8'), folder);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
