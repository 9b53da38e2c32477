import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { pictureOf } from '../kit/images/containers.ts';
import { TOKEN } from '../kit/names.ts';
import { spawnService } from '../kit/process.ts';

const BEFORE = 16;
const WRITERS = 4;

const soap11 = TEST_BINDINGS[0]!;

/** Calls that write, and the keys of those that were acknowledged. */
class Writer {
  readonly articles = new Set<string>();
  readonly images = new Set<string>();
  readonly deletionsBegun = new Set<string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async article(guid: string): Promise<void> {
    const params = {
      token: TOKEN,
      guid,
      caption: guid,
      content: `内容 of ${guid} <&>\n`.repeat(50),
    };
    const { status } = await soap11.call(this.#url, 'InsertArticle', params);
    if (status === 200) this.articles.add(guid);
  }

  async image(FileGuid: string): Promise<void> {
    const params = { verifyCode: TOKEN, FileGuid, FileImg: pictureOf(FileGuid).toString('base64') };
    const { status } = await soap11.call(this.#url, 'InsertArticleImageFile', params);
    if (status === 200) this.images.add(FileGuid);
  }

  async delete(FileGuid: string): Promise<void> {
    this.deletionsBegun.add(FileGuid);
    await soap11.call(this.#url, 'DeleImgById', { verifyCode: TOKEN, FileGuid });
  }

  /** Writes, uploads and deletes until it is told to stop. */
  async goOn(name: string, stopped: () => boolean): Promise<void> {
    const old = [...this.images].filter((key) => key.startsWith(`old-${name}`));
    for (let index = 0; !stopped(); index++) {
      await this.article(`new-${name}-${index}`);
      await this.image(`new-${name}-${index}`);
      const deleted = old.pop() ?? `new-${name}-${index}`;
      await this.delete(deleted);
    }
  }
}

test('a backup taken amid writes, put in the place of the data folder after kill -9, has all that was acknowledged before it', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const { dataDir } = database;
  const backupFolder = `${dataDir}-backup`;
  const lostFolder = `${dataDir}-lost`;
  t.after(async () => {
    for (const folder of [backupFolder, lostFolder])
      await rm(folder, { recursive: true, force: true });
  });

  const service = await spawnService(t, database, { RATE_LIMITS: 'off' });
  const writer = new Writer(service.url);
  const names = Array.from({ length: BEFORE }, (_, index) => `old-${index % WRITERS}-${index}`);
  await Promise.all(names.flatMap((name) => [writer.article(name), writer.image(name)]));
  assert.deepEqual([writer.articles.size, writer.images.size], [BEFORE, BEFORE]);

  let stopped = false;
  const writing = Array.from({ length: WRITERS }, (_, index) =>
    writer.goOn(String(index), () => stopped).catch(() => {}),
  );
  const hasGoneOn = (from: number) =>
    until(() => writer.articles.size > from && writer.deletionsBegun.size > 0);
  await hasGoneOn(BEFORE);
  const [articlesBefore, imagesBefore] = [new Set(writer.articles), new Set(writer.images)];
  const backup = await ws01(database, ['backup', backupFolder, '--json']);
  assert.equal(backup.code, 0, backup.stderr);
  await hasGoneOn(articlesBefore.size);
  service.child.kill('SIGKILL');
  await service.end('SIGKILL');
  stopped = true;
  await Promise.all(writing);

  await rename(dataDir, lostFolder);
  await cp(backupFolder, dataDir, { recursive: true });
  const restored = await spawnService(t, database, { RATE_LIMITS: 'off' });
  assert.equal((await exchange(`${restored.url}/readyz`)).status, 200);

  // What was deleted meanwhile may be there or not; nothing else is missing, and no row without its file or the reverse.
  const store = await database.open();
  const articles = await store.read((db) => db.selectFrom('articles').select('guid').execute());
  const kept = new Set(articles.map(({ guid }) => guid));
  for (const guid of articlesBefore) assert.ok(kept.has(guid), `${guid} is lost`);
  const images = await store.read((db) =>
    db
      .selectFrom('images')
      .innerJoin('image_files', 'image_files.hash', 'images.hash')
      .select(['guid', 'images.hash', 'stored_as', 'deleted_at'])
      .execute(),
  );
  const keptImages = new Set(images.map(({ guid }) => guid));
  for (const guid of imagesBefore) {
    assert.ok(keptImages.has(guid) || writer.deletionsBegun.has(guid), `the image ${guid} is lost`);
  }
  const files = await filesIn(join(dataDir, 'files/kept'));
  assert.deepEqual([...files.keys()].sort(), images.map(({ stored_as }) => stored_as).sort());
  assert.equal(JSON.parse(backup.stdout).images, images.length);
  for (const { guid, hash, stored_as } of images) {
    const bytes = await readFile(files.get(stored_as)!);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), hash);
    assert.deepEqual(bytes, pictureOf(guid));
  }

  // It is served, and goes on.
  const list = await soap11.call(restored.url, 'QueryImgData', { pageindex: '1', pagesize: '100' });
  const addresses = [...list.body.matchAll(/http:\/\/[^"&<\\]+\/media\/[^"&<\\]+/g)].map(
    ([address]) => address,
  );
  assert.ok(addresses.length > 0, list.body.slice(0, 1_000));
  for (const address of addresses.slice(0, 5)) {
    assert.equal(
      (await exchange(address.replace(/^http:\/\/[^/]+/, restored.url))).status,
      200,
      address,
    );
  }
  const after = new Writer(restored.url);
  await after.article('after');
  await after.image('after');
  assert.deepEqual([[...after.articles], [...after.images]], [['after'], ['after']]);
});
