import type { FileStore } from '../../adapters/files/file-store.ts';
import type { Files } from '../../adapters/files/open.ts';
import type { BackupManifest } from './manifest.ts';

/** A backup that is complete. */
export interface StoredBackup {
  readonly name: string;
  /** `undefined` for a folder that an earlier version made, which says nothing of itself. */
  readonly manifest: BackupManifest | undefined;
}

/** A backup that is being made. It is in its place when {@link finish} resolves, and not before. */
export interface Draft {
  /** A folder of this machine that the database is copied into. */
  readonly folder: string;
  /** Where the copies of image files go. */
  readonly files: Files;
  /** Whether files taken over are read again when the backup is verified: not those that are far away. */
  readonly rereads: boolean;
  /** Takes over the copy of a file that an earlier backup made. @returns whether there is one. */
  reuse(name: string): Promise<boolean>;
  /** Puts the database where it is to be, so that it can be read from there. */
  storeDatabase(file: string): Promise<void>;
  /** Copies the database back, to a path of this machine. */
  fetchDatabase(file: string, to: string): Promise<void>;
  finish(manifest: BackupManifest, files: readonly string[]): Promise<void>;
  /** Removes what was made. */
  abandon(): Promise<void>;
}

/** What is restored from. */
export interface Source {
  readonly manifest: BackupManifest | undefined;
  readonly database: string;
  /** The copies of image files. */
  readonly files: FileStore;
  fetchDatabase(to: string): Promise<void>;
}

/** Where backups are kept. */
export interface BackupLocation {
  /** As it may be shown: without query and credentials. */
  readonly shown: string;
  /** The complete ones, the newest first. */
  list(): Promise<readonly StoredBackup[]>;
  begin(name: string): Promise<Draft>;
  /** @returns `undefined` when there is no complete backup of that name. */
  open(name: string): Promise<Source | undefined>;
  /** Removes backups, the files that no other one has, and what broken-off backups have left. */
  prune(names: readonly string[]): Promise<void>;
  close(): void;
}
