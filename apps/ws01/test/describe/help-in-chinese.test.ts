import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { purposeOf } from '../../../../packages/asmx/src/contract/purpose.ts';
import { PAGE_WORDS } from '../../../../packages/asmx/src/describe/pages/words.ts';
import { HELP_IN_CHINESE } from '../../src/app/help-zh.ts';
import { WS01 } from '../../src/contract/service.ts';
import { violationsOf } from '../console/kit/axe.ts';
import { DESKTOP, openPage, PHONE } from '../console/kit/browser.ts';
import { startService } from '../kit/service.ts';
import { lowContrast } from './kit/contrast.ts';

/** What the contract says on pages in the words of the service. */
const SAID = new Set([
  WS01.documentation!,
  ...WS01.operations.flatMap((operation) => [
    purposeOf(operation),
    operation.help!.answer,
    ...operation.parameters.map(({ documentation }) => documentation),
    ...Object.values(operation.help!.errors),
  ]),
]);

suite('the help pages in Chinese', () => {
  test('have a text for each English one, and none that nothing needs', () => {
    assert.deepEqual(
      Object.keys(HELP_IN_CHINESE.texts).toSorted(),
      [...SAID, ...PAGE_WORDS, 'HTTP API', 'Console'].toSorted(),
    );
    for (const [english, chinese] of Object.entries(HELP_IN_CHINESE.texts)) {
      const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
      assert.deepEqual(places(chinese), places(english), chinese);
    }
  });

  test('come by the browser’s language or a link, and stay; what ASP.NET says stays English', async (t) => {
    const service = await startService(t);
    const url = `${service.url}/WS01.asmx?op=countIpPosted`;
    const page = await openPage(t, url, { ...DESKTOP, locale: 'zh-CN' }, /403/);
    const purpose = '统计从一个 IP 地址创建的记录数';
    await page.getByText(purpose).waitFor();
    const english = await page.locator('main [lang=en]').allTextContents();
    assert.ok(english.some((text) => text.includes('for a complete list of operations.')));
    await page.getByLabel('IP', { exact: true }).fill('203.0.113.7');
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^403 .+，用时 \d+ 毫秒$/ })
      .waitFor();
    await page.getByRole('link', { name: 'English' }).click();
    await page
      .getByText(purposeOf(WS01.operations.find((o) => o.name === 'countIpPosted')!))
      .waitFor();
    await page.getByRole('link', { name: 'SendEmail' }).click();
    await page.getByText('Sends one mail').waitFor();
    await page.getByRole('link', { name: '中文' }).click();
    await page.getByText('以凭据的注册用户的名义').waitFor();
    await page.getByRole('link', { name: 'here' }).click();
    await page.getByText('文章、广告、图片').waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  });

  test('satisfy axe-core, light and dark, and fit a phone', async (t) => {
    const service = await startService(t);
    for (const query of ['?lang=zh-CN', '?lang=zh-CN&op=InsertArticleImageFile']) {
      const url = `${service.url}/WS01.asmx${query}`;
      for (const options of [DESKTOP, { ...PHONE, colorScheme: 'dark' as const }]) {
        const page = await openPage(t, url, options);
        assert.deepEqual(await violationsOf(page), [], query);
        assert.deepEqual(await lowContrast(page), [], query);
        const excess = await page.evaluate<number>(
          'document.documentElement.scrollWidth - innerWidth',
        );
        assert.equal(excess, 0, query);
      }
    }
  });
});
