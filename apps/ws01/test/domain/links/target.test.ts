import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { CHARACTER, WEB_URL } from '../../../../../packages/asmx/test/kit/random.ts';
import { type ErrorCode, Ws01Error } from '../../../src/contract/errors.ts';
import { shortPaths } from '../../../src/domain/links/target.ts';
import { freshDatabase } from '../../kit/database.ts';
import { LinkDesk } from '../../kit/links.ts';
import { refused } from '../../kit/refused.ts';

async function open(
  test: TestContext,
  options: ConstructorParameters<typeof LinkDesk>[1] = {},
): Promise<LinkDesk> {
  return new LinkDesk(await (await freshDatabase('sqlite', test)).open(), options);
}

/** What is asked for, and where its link leads. */
const TARGETS: readonly (readonly [asked: string, target: string])[] = [
  ['http://example.org', 'http://example.org/'],
  ['example.org', 'http://example.org/'],
  ['example.org:8080/a', 'http://example.org:8080/a'],
  ['//example.org/a', 'http://example.org/a'],
  ['HTTPS://EXAMPLE.ORG/A', 'https://example.org/A'],
  ['http://例え.jp/道?名=値', 'http://xn--r8jz45g.jp/%E9%81%93?%E5%90%8D=%E5%80%A4'],
  ['http://example.org/a b?<&>"\'', 'http://example.org/a%20b?%3C&%3E%22%27'],
  ['http://example.org/a/../b', 'http://example.org/b'],
  [`http://example.org/${'道'.repeat(886)}`, `http://example.org/${'%E9%81%93'.repeat(886)}`],
  ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000/'],
  ['https://example.com/ws/other', 'https://example.com/ws/other'],
];

it('leads to every http and https URL, in its canonical form', async (t) => {
  const desk = await open(t);
  for (const [asked, target] of TARGETS)
    assert.equal(await desk.targetOf(await desk.shorten(asked)), target, asked);
});

const REFUSED: readonly (readonly [asked: string, code: ErrorCode])[] = [
  ['ftp://example.org/', 'InvalidParameter'],
  ['javascript:alert(1)', 'InvalidParameter'],
  ['java\nscript:alert(1)', 'InvalidParameter'],
  ['data:text/html,<script>', 'InvalidParameter'],
  ['mailto:ada@example.org', 'InvalidParameter'],
  ['file:///etc/passwd', 'InvalidParameter'],
  ['hello', 'InvalidParameter'],
  ['http://', 'InvalidParameter'],
  ['http://exa mple.org/', 'InvalidParameter'],
  ['http://example.org/\r\nSet-Cookie: a=b', 'InvalidParameter'],
  ['http://example.org/\u0000', 'InvalidParameter'],
  [`http://example.org/${'a'.repeat(2048 - 18)}`, 'InvalidParameter'],
  [`http://example.org/${'道'.repeat(888)}`, 'InvalidParameter'],
  ['http://ada@example.org/', 'DestinationBlocked'],
  ['http://ada:secret@example.org/', 'DestinationBlocked'],
  ['https://sho.rt', 'DestinationBlocked'],
  ['http://SHO.RT./whatever', 'DestinationBlocked'],
  ['https://ｓｈｏ.rt/x', 'DestinationBlocked'],
];

it('refuses what is no http URL, hides a user or leads to our own short host', async (t) => {
  const desk = await open(t);
  for (const [asked, code] of REFUSED) await refused(desk.shorten(asked), code, '_orgUrl');
});

it('refuses our own links under any name of this service', async (t) => {
  const desk = await open(t, {
    baseUrl: 'https://example.com/ws',
    shortBaseUrl: 'https://example.com/ws/s',
  });
  const code = await desk.shorten('http://example.org/');
  for (const path of [`/ws/s/${code}`, `/s/${code}`, `/ws/s/${code}+`, `/s/${code}.svg`]) {
    for (const host of ['http://another-name.example:8080', 'http://127.0.0.1:8080']) {
      await refused(desk.shorten(`${host}${path}`), 'DestinationBlocked', '_orgUrl');
    }
  }
  await desk.shorten('http://another-name.example/s/BBBBBBB');
  await desk.shorten(`http://another-name.example/t/${code}`);
});

it('refuses a link under the main name when short links have a host of their own', async (t) => {
  const desk = await open(t, { baseUrl: 'https://example.com', shortBaseUrl: 'https://sho.rt/s' });
  await refused(desk.shorten('https://example.com/s/BBBBBBB'), 'DestinationBlocked', '_orgUrl');
  await desk.shorten('https://example.com/s/about-us');
});

it('no text makes it fail otherwise than with a link or a refusal, and no link leads elsewhere than to the web', async (t) => {
  const desk = await open(t);
  const part = fc.oneof(
    fc.constantFrom(
      ...words('http:// https: // @ : . %00 %2f [ ] # ? sho.rt localhost 😀 漢'),
      '\\',
      '\u3002',
    ),
    fc.string({ unit: CHARACTER, maxLength: 8 }),
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    WEB_URL,
  );
  await fc.assert(
    fc.asyncProperty(text, async (asked) => {
      try {
        const target = new URL((await desk.targetOf(await desk.shorten(asked))) ?? assert.fail());
        assert.ok(['http:', 'https:'].includes(target.protocol));
        assert.equal(target.username + target.password, '');
        assert.notEqual(target.hostname, 'sho.rt');
        assert.match(target.href, /^[\x21-\x7e]+$/);
      } catch (error) {
        assert.ok(error instanceof Ws01Error, String(error));
        assert.ok(
          ['MissingParameter', 'InvalidParameter', 'DestinationBlocked'].includes(error.code),
          error.code,
        );
      }
    }),
    { numRuns: 300 },
  );
});

it('short links are found at the path of their URL, with and without what a proxy takes off', () => {
  assert.deepEqual(shortPaths('http://localhost:8080', 'http://localhost:8080/s'), ['/s']);
  assert.deepEqual(shortPaths('https://example.com/ws', 'https://example.com/ws/s'), [
    '/ws/s',
    '/s',
  ]);
  assert.deepEqual(shortPaths('https://example.com/ws', 'https://sho.rt'), ['']);
  assert.deepEqual(shortPaths('https://example.com/ws', 'https://example.com/wsx/s'), ['/wsx/s']);
});
