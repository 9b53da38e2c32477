import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Breaker } from './breaker.ts';
import type { DiskTurns } from './disk-turns.ts';
import { guarded, isMissing } from './errors.ts';
import type { ByteRange, FileStore, FileToKeep, StoredFile } from './file-store.ts';
import { readFileStream, writeFileStream } from './file-streams.ts';
import { inParallel } from './in-parallel.ts';
import type { Spool } from './spool.ts';

/** Where files are in an S3 service. Credentials come from where the AWS tools look for them. */
export interface S3Location {
  readonly bucket: string;
  /** Put before each name, with a slash between; may be empty. */
  readonly prefix: string;
  /** `undefined` for Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** How long a connection may be silent, and how long it may take to be made; ms. {@link SILENCE_MS} when absent. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 10_000;

/** Files of {@link S3FileStore.keepAll} sent immediately. */
const SENT_AT_ONCE = 8;

/** The largest object that S3 copies in one request; bytes. */
const COPIED_BYTES = 5 * 1024 ** 3;

/** How often longer than that an answer may take to begin while data still flows, as on a slow line. */
const PATIENCE = 6;

/** A request that got no answer is made once more; names are never used twice, so that no request does harm twice. */
const ATTEMPTS = 2;

/** The object that shows that objects can be written; and how long one success stands for the next ones, ms. */
const PROBE = 'ready-probe';
const PROBED_FOR_MS = 60_000;

/** Keeps files as objects of an S3 service, which has one only when it was sent whole. */
export class S3FileStore implements FileStore {
  readonly #client: S3Client;
  /** What tells one service from another. */
  readonly #service: string;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #spool: Spool;
  readonly #turns: DiskTurns;
  readonly #breaker = new Breaker(isSilence);
  /** Until when it need not be shown that objects can be written; on the clock of `performance.now`. */
  #probedUntil = 0;

  constructor(
    { bucket, prefix, endpoint, region, silenceMs = SILENCE_MS }: S3Location,
    spool: Spool,
    turns: DiskTurns,
  ) {
    this.#service = `${endpoint} ${region}`;
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
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: silenceMs,
        socketTimeout: silenceMs,
        // Without the last one it only warns.
        requestTimeout: silenceMs * PATIENCE,
        throwOnRequestTimeout: true,
      },
    });
  }

  keep(path: string, name: string): Promise<void> {
    return this.#ask(async () => {
      const params = { ...this.#object(name), Body: await readFileStream(path, this.#turns) };
      await new Upload({ client: this.#client, params, queueSize: 1, leavePartsOnError: false }).done();
      this.#probedUntil = performance.now() + PROBED_FOR_MS;
    });
  }

  keepAll(files: readonly FileToKeep[]): Promise<void> {
    return inParallel(files, SENT_AT_ONCE, ({ path, name }) => this.keep(path, name));
  }

  async copy(from: FileStore, { name: source, bytes, version }: StoredFile, name: string): Promise<boolean> {
    if (!(from instanceof S3FileStore) || from.#service !== this.#service) return false;
    if (version === undefined || bytes > COPIED_BYTES) return false;
    const { Bucket, Key } = from.#object(source);
    const CopySource = [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/');
    return this.#ask(async () => {
      try {
        const { CopyObjectResult } = await this.#client.send(
          new CopyObjectCommand({ ...this.#object(name), CopySource, CopySourceIfMatch: version }),
        );
        // Ceph 16 copies whatever is there by now.
        if (CopyObjectResult?.ETag === version || (await from.find(source))?.version === version) return true;
        await this.remove(name);
        return false;
      } catch (error) {
        // Another version by now, or not allowed: then the bytes are sent.
        if (isSilence(error)) throw error;
        return false;
      }
    });
  }

  find(name: string): Promise<StoredFile | undefined> {
    return this.#ask(async () => {
      try {
        const head = await this.#client.send(new HeadObjectCommand(this.#object(name)));
        const storedAt = head.LastModified?.getTime() ?? 0;
        return { name, bytes: head.ContentLength ?? 0, storedAt, version: head.ETag };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  read(name: string, range?: ByteRange): Promise<Readable> {
    return this.#ask(async () => {
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
    return this.#ask(async () => {
      await this.#client.send(new DeleteObjectCommand(this.#object(name)));
    });
  }

  async *list(): AsyncIterable<StoredFile> {
    let next: string | undefined;
    do {
      const page = await this.#ask(() =>
        this.#client.send(
          new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, ContinuationToken: next }),
        ),
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined || LastModified === undefined || Key === this.#prefix + PROBE) continue;
        yield { name: Key.slice(this.#prefix.length), bytes: Size ?? 0, storedAt: LastModified.getTime() };
      }
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  now(): Promise<number> {
    return this.#ask(async () => {
      const probe = this.#object(PROBE);
      await this.#client.send(new PutObjectCommand({ ...probe, Body: 'ready' }));
      const { LastModified } = await this.#client.send(new HeadObjectCommand(probe));
      if (LastModified === undefined) throw new Error('The bucket does not say when an object was stored.');
      return LastModified.getTime();
    });
  }

  /** Writes an object, as reading alone would not show that uploads are denied; at most once a minute while that works. */
  async check(): Promise<void> {
    if (performance.now() < this.#probedUntil) return;
    await this.#ask(() => this.#client.send(new PutObjectCommand({ ...this.#object(PROBE), Body: 'ready' })));
    this.#probedUntil = performance.now() + PROBED_FOR_MS;
  }

  close(): void {
    this.#client.destroy();
  }

  /** Whatever fails is `unavailable`; at once where S3 has not answered for a while. */
  #ask<T>(work: () => Promise<T>): Promise<T> {
    return guarded(async () => {
      try {
        return await this.#breaker.run(work);
      } catch (error) {
        this.#probedUntil = 0;
        throw error;
      }
    });
  }

  #object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + name };
  }
}

/** Whether S3 has not answered, or said that it cannot; a refusal is an answer. */
function isSilence(error: unknown): boolean {
  const { name, code, $metadata } = error as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  if ($metadata?.httpStatusCode !== undefined) return $metadata.httpStatusCode >= 500;
  return name === 'TimeoutError' || (typeof code === 'string' && NO_ANSWER.test(code));
}

/** What Node says of names, connections and TLS; not of files. */
const NO_ANSWER = /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|ERR_SSL|ERR_TLS|CERT_|UNABLE_)/;
