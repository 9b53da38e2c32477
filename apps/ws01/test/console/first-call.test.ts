import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { blackPng } from '../kit/images/containers.ts';
import { pasted } from '../kit/pasted.ts';
import { startService } from '../kit/service.ts';
import { leave, openSignedIn, sessionOf, visitor } from './kit/browser.ts';

suite('the first call of a new token', () => {
  test('works as it is pasted, whatever the token may do, and leads to other languages', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const { send } = visitor(service, cookie);
    const cwd = await temporaryFolder(t, 'ws01-first-call-');
    await writeFile(join(cwd, 'photo.jpg'), blackPng(8, 8));
    const pages: string[] = [];
    for (const scopes of ['articles', 'adverts', 'images', 'counts', 'read', 'phone']) {
      const { to } = await send('/console/tokens/new', { label: scopes, scopes });
      const page = await openSignedIn(t, service, cookie, to);
      await page.locator('#secret').waitFor();
      if (scopes === 'phone') {
        assert.equal(await page.locator('#call').count(), 0, 'none that sends somebody a message');
        continue;
      }
      const command = (await page.locator('#call').textContent()) ?? '';
      assert.match(await pasted(command, cwd), / 200$/, command);
      await leave(page, () => page.getByRole('link', { name: 'The same in C#, PHP' }).click());
      pages.push(new URL(page.url()).pathname + new URL(page.url()).search);
      await page.locator('h1, .swagger-ui').first().waitFor();
    }
    assert.deepEqual(pages, [
      ...['InsertArticle', 'addNewAdvert', 'InsertArticleImageFile', 'countUserPosted'].map(
        (operation) => `/WS01.asmx?lang=en&op=${operation}`,
      ),
      '/api/docs',
    ]);
  });
});
