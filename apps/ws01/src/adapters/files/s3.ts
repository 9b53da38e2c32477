import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { DiskTurns } from './disk-turns.ts';
import { guarded, isMissing, storageUnavailable } from './errors.ts';
import type { ByteRange, FileStore, StoredFile } from './file-store.ts';
import { readFileStream, writeFileStream } from './file-streams.ts';
import type { Spool } from './spool.ts';

/** Where files are in an S3 service. Credentials come from where the AWS tools look for them. */
export interface S3Location {
  readonly bucket: string;
  /** Put before each name, with a slash between; may be empty. */
  readonly prefix: string;
  /** `undefined` for Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

/** How long a connection may take to be made, and how long it may be silent; ms. */
const CONNECT_MS = 5_000;
const SILENCE_MS = 30_000;

/** Keeps files as objects of an S3 service, which has one only when it was sent whole. */
export class S3FileStore implements FileStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #spool: Spool;
  readonly #turns: DiskTurns;

  constructor({ bucket, prefix, endpoint, region }: S3Location, spool: Spool, turns: DiskTurns) {
    this.#bucket = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#spool = spool;
    this.#turns = turns;
    this.#client = new S3Client({
      // Services that are not Amazon's have no names for buckets, and ask for any region.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: 'us-east-1' }),
      ...(region === undefined ? {} : { region }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: SILENCE_MS },
    });
  }

  keep(path: string, name: string): Promise<void> {
    return guarded(async () => {
      const params = { ...this.#object(name), Body: await readFileStream(path, this.#turns) };
      await new Upload({ client: this.#client, params, queueSize: 1, leavePartsOnError: false }).done();
    });
  }

  find(name: string): Promise<StoredFile | undefined> {
    return guarded(async () => {
      try {
        const head = await this.#client.send(new HeadObjectCommand(this.#object(name)));
        return { name, bytes: head.ContentLength ?? 0, storedAt: head.LastModified?.getTime() ?? 0 };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  read(name: string, range?: ByteRange): Promise<Readable> {
    return guarded(async () => {
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#object(name), ...part }));
      if (Body === undefined) throw new Error(`S3 sent no body for ${name}.`);
      return Body as Readable;
    });
  }

  withPath<T>(name: string, work: (path: string) => Promise<T>): Promise<T> {
    return this.#spool.withTemporary(async (path) => {
      const source = await this.read(name);
      await guarded(async () => pipeline(source, await writeFileStream(path, this.#turns)));
      return work(path);
    });
  }

  remove(name: string): Promise<void> {
    return guarded(async () => {
      await this.#client.send(new DeleteObjectCommand(this.#object(name)));
    });
  }

  async *list(): AsyncIterable<StoredFile> {
    let next: string | undefined;
    do {
      const page = await guarded(() =>
        this.#client.send(
          new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, ContinuationToken: next }),
        ),
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined || LastModified === undefined) continue;
        yield { name: Key.slice(this.#prefix.length), bytes: Size ?? 0, storedAt: LastModified.getTime() };
      }
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  async check(): Promise<void> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      throw storageUnavailable(error);
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + name };
  }
}
