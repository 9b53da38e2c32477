import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { type Files, openFiles } from '../../../src/adapters/files/open.ts';
import { DecoderPool } from '../../../src/adapters/images/decoders.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { advertOperations } from '../../../src/domain/adverts/operations.ts';
import { articleOperations } from '../../../src/domain/articles/operations.ts';
import type { BudgetRates } from '../../../src/domain/budgets/rates.ts';
import type { Caller } from '../../../src/domain/context.ts';
import { countOperations } from '../../../src/domain/counts/operations.ts';
import { createImageUrls } from '../../../src/domain/images/image-urls.ts';
import { imageOperations } from '../../../src/domain/images/operations.ts';
import { reviewOperations } from '../../../src/domain/reviews/operations.ts';
import type { Store } from '../../../src/store/store.ts';
import type { FreshDatabase } from '../database.ts';
import { ANYBODY, contextOf, Desk, OBSERVED, SERVICE } from '../desk.ts';
import { refused } from '../refused.ts';
import { blackPng } from './containers.ts';

export { ADA, ADMIN, ANYBODY, BOB, NOW, SERVICE } from '../desk.ts';

/** A call's parameters as the wire converts them; those left out are not given. */
type Given = Readonly<Record<string, unknown>>;

/** One image of a list. */
interface ListedItem {
  readonly fileGuid: string;
  readonly [field: string]: unknown;
}

/** What operation 6 answers. */
export interface ListAnswer {
  readonly items: readonly ListedItem[];
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly total: number;
  readonly totalPages: number;
  readonly warnings: readonly string[];
}

const NOT_GIVEN: Given = {
  IsIcons: false,
  ImgIcon: false,
  isImage: false,
  Status: 0,
  pageindex: undefined,
  pagesize: undefined,
};

/** The operations on images, and those on what images belong to, over a store and a folder, called as the wire does. */
export class ImageDesk extends Desk {
  readonly files: Files;
  readonly decoders = new DecoderPool({
    processes: 2,
    waiting: 1_000,
    memory: 256 * 1024 ** 2,
    cpu: 10_000,
  });
  readonly #operations: Readonly<Record<string, (params: never, context: never) => unknown>>;

  constructor(store: Store, files: Files, rates: Partial<BudgetRates> = {}) {
    super(store, rates);
    this.files = files;
    const baseUrl = () => 'https://example.com/ws';
    const parts = {
      ...this.parts,
      files,
      baseUrl,
      maxImagePixels: 50_000_000,
      decoders: this.decoders,
      onRefused: () => {},
      imageUrls: createImageUrls(store, baseUrl),
    };
    this.#operations = {
      ...articleOperations(parts),
      ...advertOperations(parts),
      ...countOperations(parts),
      ...imageOperations(parts),
      ...reviewOperations(parts),
    };
  }

  async call(
    name: string,
    given: Given,
    caller: Caller = SERVICE,
    address = OBSERVED,
  ): Promise<unknown> {
    const operation = this.#operations[name]! as (params: Given, call: Given) => unknown;
    return operation({ ...NOT_GIVEN, ...given }, contextOf(caller, address));
  }

  /** Uploads a file, or a picture of its own when none is given. */
  async upload(
    FileGuid: string,
    given: Given = {},
    caller?: Caller,
    file = blackPng(8, 8),
  ): Promise<unknown> {
    const arriving = this.files.spool.receive();
    try {
      await arriving.write(file);
      const FileImg = await arriving.finish();
      return await this.call('InsertArticleImageFile', { FileGuid, FileImg, ...given }, caller);
    } finally {
      await arriving.release();
    }
  }

  async list(given: Given = {}): Promise<ListAnswer> {
    return JSON.parse((await this.call('QueryImgData', given, ANYBODY)) as string);
  }

  /** The keys that a query finds, in its order. */
  async keys(given: Given = {}): Promise<readonly string[]> {
    return (await this.list(given)).items.map(({ fileGuid }) => fileGuid);
  }

  /** Sees a call refused, and with which error. */
  async refuses(
    code: ErrorCode,
    parameter: string | undefined,
    call: Promise<unknown>,
  ): Promise<void> {
    await refused(call, code, parameter);
  }

  async row(guid: string) {
    return this.store.read((db) =>
      db.selectFrom('images').selectAll().where('guid', '=', guid).executeTakeFirst(),
    );
  }

  async audit(key: string): Promise<readonly string[]> {
    const rows = await this.store.read((db) =>
      db
        .selectFrom('audit')
        .select('action')
        .where('target_key', '=', key)
        .orderBy('at')
        .orderBy('id')
        .execute(),
    );
    return rows.map(({ action }) => action);
  }

  /** Names of the files as they were sent, in the file store; what is served stands beside its own. */
  async stored(): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name } of this.files.store.list()) names.push(name);
    const sent = names.filter((name) => !/\.(full|icon)$/.test(name)).sort();
    const allowed = sent.flatMap((name) => [name, `${name}.full`, `${name}.icon`]);
    assert.deepEqual(
      names.filter((name) => !allowed.includes(name)),
      [],
    );
    return sent;
  }
}

/** An empty folder of files, removed after the test. */
export async function freshFiles(test: TestContext): Promise<Files> {
  const folder = await temporaryFolder(test, 'ws01-files-');
  return openFiles({ kind: 'disk', folder }, folder);
}

/** A desk on a new database and a new folder of files. */
export async function openImageDesk(
  t: TestContext,
  fresh: FreshDatabase,
  rates: Partial<BudgetRates> = {},
): Promise<ImageDesk> {
  return new ImageDesk(await (await fresh(t)).open(), await freshFiles(t), rates);
}
