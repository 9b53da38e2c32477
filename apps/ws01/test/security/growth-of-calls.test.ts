import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProportional } from '../../../../packages/asmx/test/kit/growth.ts';
import { exchange, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { LENGTHS } from '../../src/contract/parameters.ts';
import { sessionOf } from '../console/kit/browser.ts';
import { routePaths } from '../console/kit/routes.ts';
import { type ApiDesk, apiOf, openApiDesk, seedEveryKind } from '../kit/api.ts';
import { freshDatabase } from '../kit/database.ts';
import { type ListsDocument, queriesOf } from '../kit/list-queries.ts';
import { startService } from '../kit/service.ts';
import { fill } from './kit/requests.ts';
import { VALUES_WITH_CREDENTIAL } from './kit/with-credential.ts';

/** Texts of members, most of them made so that a search for {@link NEARLY} fails late everywhere. */
const UNITS = ['a', '\n', ' ', '<a>', '&amp;', '@', 'a.b@c.d ', 'https://a.b/ ', '中', '\u200b'];
/** By day each path has one of them, the next one another: with all, each takes ten times as long. */
const unitsOf = (number: number) => (BY_NIGHT ? UNITS : [UNITS[number % UNITS.length]!]);
const NEARLY = ['a'.repeat(199).concat('b'), 'aaaaaaaaab '.repeat(18), '%'.repeat(200)];

describe('growth: lists of the API', () => {
  it('each parameter takes time in proportion to its text, cursors too', async (t) => {
    const desk = await openApiDesk(t, freshDatabase.bind(undefined, 'sqlite'));
    const document = (await desk.get('/openapi.json')).body as ListsDocument;
    const api = apiOf(desk.store);
    const principal = { kind: 'admin', name: 'ada', role: 'owner', id: 'ada' } as const;
    const marked = [...queriesOf(document, ['MARK']), ...withCursors(document)];
    assert.ok(marked.length > 100);
    const paths = new Set(marked.filter((one) => one.includes('MARK')));
    for (const [number, path] of [...paths].entries()) {
      for (const unit of unitsOf(number)) {
        await assertProportional(
          async (size) => {
            const text = encodeURIComponent(fill(unit, size));
            const request = new Request(`http://localhost/api/v1${path.replace('MARK', text)}`);
            const { status } = await api.fetch(request, { principal, address: '192.0.2.1' });
            assert.ok([200, 400, 404].includes(status), `${path}: ${status}`);
          },
          100_000,
          `${path} of ${JSON.stringify(unit)}`,
        );
      }
    }
  });
});

const withCursors = (document: ListsDocument): string[] =>
  queriesOf(document)
    .filter((path) => path.endsWith('?'))
    .map((path) => `${path}cursor=MARK`);

describe('growth: what shows and searches texts of members', () => {
  it('each answer of the API and page of the console', async (t) => {
    const desk = await openApiDesk(t, freshDatabase.bind(undefined, 'sqlite'));
    const key = (await seedEveryKind(desk)).articles;
    const cookie = await sessionOf(desk.service, 'owner');
    const document = (await desk.get('/openapi.json')).body as ListsDocument;
    const paths = [
      ...Object.entries(document.paths)
        .filter(([, { get }]) => get !== undefined)
        .map(([path]) => `/api/v1${path}`)
        .filter((path) => !/events$/.test(path)),
      ...(await routePaths()).filter((path) => /article|desk|search/.test(path)),
      ...queriesOf(document, NEARLY)
        .filter((path) => /[?&]q=/.test(path))
        .map((path) => `/api/v1${path}`),
    ].map((path) => path.replaceAll(/\{\w+\}|:key|:guid/g, key).replaceAll(/:revision\b/g, '2'));
    assert.ok(paths.length > 80, String(paths.length));
    const shown = new Set<string>();
    for (const unit of UNITS) {
      for (const path of paths.filter((_, number) => unitsOf(number).includes(unit))) {
        await assertProportional(
          async (size) => {
            await fillTexts(desk, unit, size);
            const answer = await exchange(desk.url + path, {
              headers: path.startsWith('/api')
                ? { Authorization: `Bearer ${desk.tokens.manage}` }
                : { Cookie: cookie },
            });
            if (answer.status === 200) shown.add(path);
            else assert.ok([303, 400, 404].includes(answer.status), `${path}: ${answer.status}`);
          },
          LENGTHS.content,
          `${path}, texts of ${JSON.stringify(unit)}`,
        );
      }
    }
    assert.ok(shown.size > 60, [...shown].join(' '));
  });
});

const filled = new WeakMap<ApiDesk, string>();

/** Makes the long texts of the seeded records of a length, up to what each may have. */
async function fillTexts(desk: ApiDesk, unit: string, size: number): Promise<void> {
  const state = `${unit} ${size}`;
  if (filled.get(desk) === state) return;
  filled.set(desk, state);
  const text = (most: number) => fill(unit, size).slice(0, most);
  await desk.store.write(async (tx) => {
    const content = text(LENGTHS.content);
    await tx
      .updateTable('articles')
      .set({ content, caption: text(LENGTHS.caption) })
      .execute();
    await tx
      .updateTable('article_revisions')
      .set({ content: `${content.slice(0, -1)}x` })
      .execute();
    await tx
      .updateTable('adverts')
      .set({ detail: text(LENGTHS.detail) })
      .execute();
    await tx
      .updateTable('mails')
      .set({ body: text(LENGTHS.mailBody) })
      .execute();
    await tx
      .updateTable('reviews')
      .set({ remark: text(LENGTHS.mark) })
      .execute();
    await tx
      .updateTable('users')
      .set({ name: text(LENGTHS.name) })
      .execute();
  });
}

describe('growth: operations', () => {
  it('each parameter of each takes time in proportion to its text', async (t) => {
    const { url } = await startService(t, undefined, { RATE_LIMITS: 'off' });
    // Seven is no divisor of the number of texts that a parameter has: by day the next one has others.
    for (const { operation, name, make } of someOf(VALUES_WITH_CREDENTIAL, 7)) {
      const request = (size: number) => {
        const text = make(size).toString('utf8');
        const body = text.slice(text.indexOf('\r\n\r\n') + 4);
        const headers = { 'Content-Type': 'application/json' };
        return postTo(`${url}/WS01.asmx/${operation}`, body, headers);
      };
      await assertProportional(request, 200_000, `${operation}: ${name}`);
    }
  });
});
