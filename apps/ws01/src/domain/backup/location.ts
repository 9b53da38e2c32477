import type { Readable } from 'node:stream';
import type { FileStore } from '../../adapters/files/file-store.ts';
import type { Files } from '../../adapters/files/open.ts';
import type { BackupManifest, ManifestFound } from './manifest.ts';

/** A complete backup. */
export interface StoredBackup extends ManifestFound {
  readonly name: string;
}

/** A backup in progress. It becomes a backup when {@link finish} resolves. */
export interface Draft {
  /** A local folder for the copy of the database. */
  readonly folder: string;
  /** The copies of image files. */
  readonly files: Files;
  /** Whether verification reads reused copies again; not if they are remote. */
  readonly rereads: boolean;
  /**
   * Reuses the copy of a file from an earlier backup.
   * @returns whether there is one.
   */
  reuse(name: string): Promise<boolean>;
  /** Stores the database in its final location, from where it can be read. */
  storeDatabase(file: string): Promise<void>;
  /** Copies the database back to a local path. */
  fetchDatabase(file: string, to: string): Promise<void>;
  finish(manifest: BackupManifest, files: readonly string[]): Promise<void>;
  /** Removes everything of this backup. */
  abandon(): Promise<void>;
}

/** A backup to restore. */
export interface Source {
  readonly manifest: BackupManifest | undefined;
  readonly database: string;
  /** The copies of image files. */
  readonly files: FileStore;
  fetchDatabase(to: string): Promise<void>;
  readDatabase(): Promise<Readable>;
  /** The names of the image files that the backup has. */
  imageNames(): AsyncIterable<string>;
}

/** Where backups are stored. */
export interface BackupLocation {
  /** Its name for people, without query and credentials. */
  readonly shown: string;
  /** Returns the complete backups, newest first; one that is damaged takes no other with it. */
  list(): Promise<readonly StoredBackup[]>;
  begin(name: string): Promise<Draft>;
  /** @returns `undefined` if there is no complete backup with that name. */
  open(name: string): Promise<Source | undefined>;
  /**
   * Removes backups, and the remains of interrupted backups. Files that no other backup uses go,
   * too, or to a trash.
   * @returns why such files stay: a sentence.
   */
  prune(names: readonly string[]): Promise<string | undefined>;
  close(): void;
}
