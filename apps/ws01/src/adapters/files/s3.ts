import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
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
import { time } from '@ws01/asmx/time';
import { Breaker } from './breaker.ts';
import type { DiskTurns } from './disk-turns.ts';
import { guarded, ifMissing } from './errors.ts';
import type {
  ByteRange,
  FilePieces,
  FileStore,
  FileToKeep,
  FileTrash,
  StoredFile,
} from './file-store.ts';
import { readFileStream, writeFileStream } from './file-streams.ts';
import { inParallel } from './in-parallel.ts';
import { checkedName, isFileName, isObjectKey } from './names.ts';
import { resumedPieces } from './resumed-pieces.ts';
import { refuseOtherAnswers } from './s3-answers.ts';
import { isNameInTrash, S3Trash, TRASH } from './s3-trash.ts';
import type { Spool } from './spool.ts';

/** A bucket of an S3 service. Credentials come from the same sources as for the AWS tools. */
export interface S3Location {
  readonly bucket: string;
  /** Prefix of each key, followed by a slash; may be empty. */
  readonly prefix: string;
  /** `undefined` for Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /**
   * Timeout of a connection attempt, and of a connection without data; ms. Default:
   * {@link SILENCE_MS}.
   */
  readonly silenceMs?: number;
  /**
   * Whether its names have parts separated by slashes, as those of backups and of other services'
   * files.
   */
  readonly nested?: boolean;
}

const SILENCE_MS = 10_000;

/** Files that {@link S3FileStore.keepAll} sends at once. */
const SENT_AT_ONCE = 8;

/** The largest object that S3 copies in one request; bytes. */
const COPIED_BYTES = 5 * 1024 ** 3;

/** Factor on the timeout for an answer to begin while data still flows, as on a slow line. */
const SLOW_ANSWER_FACTOR = 6;

/**
 * A request without an answer is sent once more. Names are never reused, so a repeated request does
 * no harm.
 */
const ATTEMPTS = 2;

/** The object that {@link S3FileStore.check} writes, and for how long a success counts; ms. */
const PROBE = 'ready-probe';
const PROBED_FOR_MS = 60_000;

/** While a request has waited for longer, a success no longer counts; ms. */
const DOUBTED_AFTER_MS = 1_000;

/** The object with the id of the database that the files belong to. */
const OWNER = 'database-id';

/** Objects that are no files of the store: our own, and the trash. */
const isOther = (name: string): boolean =>
  name === PROBE || name === OWNER || name.startsWith(TRASH);

/** Stores files as objects of an S3 service. S3 stores an object only if it was sent completely. */
export class S3FileStore implements FileStore {
  readonly trash: FileTrash;
  readonly #client: S3Client;
  /** Identifies the service. */
  readonly #service: string;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #nested: boolean;
  readonly #spool: Spool;
  readonly #turns: DiskTurns;
  readonly #breaker = new Breaker(isNoAnswer);
  /** No new probe is needed before this time; by `time.steady`. */
  #probedUntil = 0;

  constructor(
    { bucket, prefix, endpoint, region, silenceMs = SILENCE_MS, nested = false }: S3Location,
    spool: Spool,
    turns: DiskTurns,
  ) {
    this.#service = `${endpoint} ${region}`;
    this.#bucket = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#nested = nested;
    this.#spool = spool;
    this.#turns = turns;
    // As the client makes its own, with a timeout.
    const agent = { keepAlive: true, maxSockets: 50, timeout: silenceMs };
    this.#client = new S3Client({
      // Other services need path-style addresses and accept any region.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: 'us-east-1' }),
      ...(region === undefined ? {} : { region }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: silenceMs,
        // The client's own silence begins 3 s late when it is 6 s or longer.
        socketTimeout: 0,
        httpAgent: impatient(new HttpAgent(agent), silenceMs),
        httpsAgent: impatient(new HttpsAgent(agent), silenceMs),
        // Without the last option the client only warns.
        requestTimeout: silenceMs * SLOW_ANSWER_FACTOR,
        throwOnRequestTimeout: true,
      },
    });
    refuseOtherAnswers(this.#client);
    this.trash = new S3Trash({
      copy: (from, to) => this.#copyWithin(from, to),
      remove: (key) => this.remove(key),
      list: () => this.#listAll(TRASH),
    });
  }

  keep(path: string, name: string): Promise<void> {
    return this.#ask(async () => {
      const params = { ...this.#object(name), Body: await readFileStream(path, this.#turns) };
      await new Upload({
        client: this.#client,
        params,
        queueSize: 1,
        leavePartsOnError: false,
      }).done();
      this.#probedUntil = time.steady() + PROBED_FOR_MS;
    });
  }

  keepAll(files: readonly FileToKeep[]): Promise<void> {
    return inParallel(files, SENT_AT_ONCE, ({ path, name }) => this.keep(path, name));
  }

  async copy(
    from: FileStore,
    { name: source, bytes, version }: StoredFile,
    name: string,
  ): Promise<boolean> {
    if (!(from instanceof S3FileStore) || from.#service !== this.#service) return false;
    if (version === undefined || bytes > COPIED_BYTES) return false;
    return this.#ask(async () => {
      try {
        const { CopyObjectResult } = await this.#client.send(
          new CopyObjectCommand({
            ...this.#object(name),
            CopySource: from.#copySource(source),
            CopySourceIfMatch: version,
          }),
        );
        // Ceph 16 copies the present object whatever its version.
        if (CopyObjectResult?.ETag === version || (await from.find(source))?.version === version)
          return true;
        await this.remove(name);
        return false;
      } catch (error) {
        // The object has changed, or S3 refuses to copy: then the bytes are sent.
        if (isNoAnswer(error)) throw error;
        return false;
      }
    });
  }

  find(name: string): Promise<StoredFile | undefined> {
    return this.#ask(async () => {
      const head = new HeadObjectCommand(this.#object(name));
      const found = await this.#client.send(head).catch(ifMissing(undefined));
      if (found === undefined) return undefined;
      const storedAt = found.LastModified?.getTime() ?? 0;
      return { name, bytes: found.ContentLength ?? 0, storedAt, version: found.ETag };
    });
  }

  read(name: string, range?: ByteRange): Promise<Readable> {
    return this.#read(name, range);
  }

  /** @param range `end` absent: up to the last byte. */
  #read(
    name: string,
    range?: { readonly start: number; readonly end?: number | undefined },
  ): Promise<Readable> {
    return this.#ask(async () => {
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end ?? ''}` };
      const { Body, ContentRange } = await this.#client.send(
        new GetObjectCommand({ ...this.#object(name), ...part }),
      );
      if (Body === undefined) throw new Error(`S3 sent no body for ${name}.`);
      const body = Body as Readable;
      // A service may ignore a range, and sends the file from its beginning.
      if (range && range.start > 0 && !ContentRange?.startsWith(`bytes ${range.start}-`)) {
        body.destroy();
        throw new Error(`S3 sent other bytes of ${name} than those from ${range.start} on.`);
      }
      return body;
    });
  }

  async pieces(name: string, range?: ByteRange): Promise<FilePieces> {
    const { start, end } = range ?? { start: 0, end: undefined };
    return resumedPieces(await this.read(name, range), (from) =>
      this.#read(name, { start: start + from, end }),
    );
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

  async *list(beginning = ''): AsyncIterable<StoredFile> {
    for await (const file of this.#listAll(beginning)) if (!isOther(file.name)) yield file;
  }

  /** @param beginning of the names. */
  async *#listAll(beginning: string): AsyncIterable<StoredFile> {
    const Prefix = this.#prefix + beginning;
    let next: string | undefined;
    do {
      const page = await this.#ask(() =>
        this.#client.send(
          new ListObjectsV2Command({ Bucket: this.#bucket, Prefix, ContinuationToken: next }),
        ),
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined || LastModified === undefined) continue;
        const name = Key.slice(this.#prefix.length);
        if (this.#isName(name)) yield { name, bytes: Size ?? 0, storedAt: LastModified.getTime() };
      }
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  /**
   * Copies an object within the store; where the service cannot, its bytes go through this machine.
   * @returns whether there was one.
   */
  async #copyWithin(from: string, to: string): Promise<boolean> {
    const file = await this.find(from);
    if (file === undefined) return false;
    const CopySource = this.#copySource(from);
    // A name is never used again: if another node moves the object too, both copies are alike.
    const isCopied =
      file.bytes <= COPIED_BYTES &&
      (await this.#ask(() =>
        this.#client.send(new CopyObjectCommand({ ...this.#object(to), CopySource })).then(
          () => true,
          (error) => {
            if (isNoAnswer(error)) throw error;
            return false;
          },
        ),
      ));
    if (isCopied) return true;
    try {
      await this.withPath(from, (path) => this.keep(path, to));
      return true;
    } catch (error) {
      // Another node has taken it meanwhile.
      if ((await this.find(from)) === undefined) return false;
      throw error;
    }
  }

  owner(): Promise<string | undefined> {
    return this.#ask(async () => {
      const get = new GetObjectCommand(this.#object(OWNER));
      const found = await this.#client.send(get).catch(ifMissing(undefined));
      if (found === undefined) return undefined;
      return (await found.Body?.transformToString())?.trim() ?? '';
    });
  }

  giveTo(id: string | undefined): Promise<void> {
    if (id === undefined) return this.remove(OWNER);
    return this.#ask(async () => {
      await this.#client.send(new PutObjectCommand({ ...this.#object(OWNER), Body: `${id}\n` }));
    });
  }

  now(): Promise<number> {
    return this.#ask(async () => {
      const probe = this.#object(PROBE);
      await this.#client.send(new PutObjectCommand({ ...probe, Body: 'ready' }));
      const { LastModified } = await this.#client.send(new HeadObjectCommand(probe));
      if (LastModified === undefined)
        throw new Error('The bucket does not say when an object was stored.');
      return LastModified.getTime();
    });
  }

  /**
   * Writes an object, because reading does not show whether uploads are allowed; at most once a
   * minute while that works.
   */
  async check(): Promise<void> {
    if (time.steady() < this.#probedUntil) return;
    await this.#ask(() =>
      this.#client.send(new PutObjectCommand({ ...this.#object(PROBE), Body: 'ready' })),
    );
    this.#probedUntil = time.steady() + PROBED_FOR_MS;
  }

  /** Objects have no owner that matters. */
  async assertOwn(): Promise<void> {}

  close(): void {
    this.#client.destroy();
  }

  /**
   * Runs a request; every error becomes `unavailable`, and requests fail at once while the breaker
   * is open.
   */
  #ask<T>(work: () => Promise<T>): Promise<T> {
    return guarded(async () => {
      const waiting = time.limit(DOUBTED_AFTER_MS, () => this.#doubt());
      try {
        return await this.#breaker.run(work);
      } catch (error) {
        this.#doubt();
        throw error;
      } finally {
        waiting.end();
      }
    });
  }

  /** Has the next check ask the service. */
  #doubt(): void {
    this.#probedUntil = 0;
  }

  #copySource(name: string): string {
    const { Bucket, Key } = this.#object(name);
    return [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/');
  }

  #object(name: string): { Bucket: string; Key: string } {
    return {
      Bucket: this.#bucket,
      Key: this.#prefix + (this.#isName(name) ? name : checkedName(name)),
    };
  }

  #isName(name: string): boolean {
    return this.#nested ? isObjectKey(name) : isFileName(name) || isNameInTrash(name);
  }
}

/** Has an agent end connections that are silent for so long; ms. */
function impatient<A extends HttpAgent>(agent: A, silenceMs: number): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args);
    socket?.on('timeout', () =>
      socket.destroy(Object.assign(new Error('S3 is silent.'), { code: 'ETIMEDOUT' })),
    );
    return socket;
  };
  // A connection that was kept has the timeout that the service has named for idle ones.
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request) => {
    reuse(socket, request);
    (socket as Socket).setTimeout(silenceMs);
  };
  return agent;
}

/** Whether S3 did not answer or reported a server error; a refusal is an answer. */
function isNoAnswer(error: unknown): boolean {
  const { name, code, $metadata } = error as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  if ($metadata?.httpStatusCode !== undefined) return $metadata.httpStatusCode >= 500;
  return name === 'TimeoutError' || (typeof code === 'string' && NO_ANSWER.test(code));
}

/** Node's error codes for DNS, connections and TLS; none for files. */
const NO_ANSWER =
  /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|ERR_SSL|ERR_TLS|CERT_|UNABLE_)/;
