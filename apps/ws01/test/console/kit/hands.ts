import type { Locator, Page } from 'playwright-core';
import { translator } from '../../../src/console/language.ts';
import type { TextKey } from '../../../src/console/texts/en.ts';
import type { Language } from '../../../src/web/language.ts';
import { leave, untilInPage } from './browser.ts';
import { focusOfPage, keyboardOf } from './keyboard.ts';

/** What a task is done with: clicks of a mouse, taps on a phone, keys of a keyboard alone. */
export type Tool = 'clicks' | 'taps' | 'keys';

/** A key of the console's texts, or a text that stands for itself. */
export type Words = TextKey | { readonly text: string };

/**
 * The hands of a person at the console, who counts. Typing is not counted, nor is Enter after it in the search box or in
 * the last field of a form, nor the way to the next field by mouse or finger, which is Tab while one types; by keyboard alone
 * each key besides the text counts.
 */
export interface Hands {
  readonly tool: Tool;
  /** Clicks, taps or keys so far. */
  count(): number;
  /** In the language of the page. */
  say(words: Words, values?: Readonly<Record<string, string | number>>): string;
  /** Goes to a page of the menu; by keyboard through the search box. */
  visit(page: Words): Promise<void>;
  /** Searches, and follows what was found by this name. */
  find(words: string, name: string): Promise<void>;
  /** Follows a link, or presses a button, that leads to another page or to this one again. */
  press(name: string): Promise<void>;
  /** Presses a button that is folded behind the others of a record. */
  unfold(name: string): Promise<void>;
  /** Fills in the field with this label. */
  fill(label: string, text: string): Promise<void>;
  /** Chooses a box. */
  check(label: string): Promise<void>;
  /** Sends the form whose field was filled in last, by its button or by Enter. */
  submit(name: string): Promise<void>;
  /** Presses a button that has a key of its own. */
  decide(name: string, key: string): Promise<void>;
}

/** @param language that of the page, which is open at the overview. */
export function handsOf(page: Page, tool: Tool, language: Language): Hands {
  const translate = translator(language);
  const say: Hands['say'] = (words, values) =>
    typeof words === 'string' ? translate(words, values) : words.text;
  return tool === 'keys' ? keyboard(page, say) : pointer(page, tool, say);
}

/** The entry of the menu that a page is below, or is itself. */
const partOf = (menu: Locator, page: string) =>
  menu
    .locator(':scope > ul > li')
    .filter({ has: menu.page().getByText(page, { exact: true }) })
    .locator('> a');

/** By mouse or finger. */
function pointer(page: Page, tool: Tool, say: Hands['say']): Hands {
  let count = 0;
  let filled: string | undefined;
  const once = async (work: Promise<unknown>) => {
    count++;
    await work;
  };
  const touch = (name: string, place = page.locator('main')) => {
    const link = place.getByRole('link', { name, exact: true });
    const found = link.or(place.getByRole('button', { name, exact: true })).first();
    return tool === 'taps' ? found.tap() : found.click();
  };
  /** Follows what leads to another page. */
  const goOn = async (work: () => Promise<unknown>) => {
    await leave(page, work);
    filled = undefined;
  };
  return {
    tool,
    count: () => count,
    say,
    async visit(target) {
      const menu = page.locator('nav').first();
      if (tool === 'taps')
        await once(page.getByRole('button', { name: say('app.menu'), exact: true }).tap());
      // On its way the mouse passes the entry that the page is below.
      else await partOf(menu, say(target)).hover();
      await goOn(() => once(touch(say(target), menu)));
    },
    async find(words, name) {
      const box = page.getByRole('search').getByLabel(say('app.search'));
      await once(tool === 'taps' ? box.tap() : box.click());
      // A browser makes a click of a tap after it.
      await untilInPage(page, `document.activeElement?.id === 'q'`);
      await page.keyboard.insertText(words);
      await goOn(() => page.keyboard.press('Enter'));
      await goOn(() => once(touch(name)));
    },
    press: (name) => goOn(() => once(touch(name))),
    async unfold(name) {
      await once(page.locator('.more > summary').click());
      await goOn(() => once(touch(name)));
    },
    async fill(label, text) {
      const field = page.getByLabel(label, { exact: true });
      // The next field of a form is a Tab away, as one types.
      if (filled === undefined) await once(field.click());
      filled = label;
      await field.fill(text);
    },
    check: (label) => once(page.getByRole('checkbox', { name: label }).check()),
    submit: (name) => goOn(() => once(touch(name))),
    async decide(name, key) {
      // A phone, and a page without scripts, show no keys.
      const isMarked = await page.locator('main kbd').first().isVisible();
      await goOn(() => once(touch(isMarked ? `${name} ${key.toUpperCase()}` : name)));
    },
  };
}

/** By keyboard alone. */
function keyboard(page: Page, say: Hands['say']): Hands {
  const keys = keyboardOf(page);
  /** Goes past the bar and the menu to something, where neither the page nor its address has put the focus already. */
  const begin = async (name: string) => {
    if ((await keys.stop()) !== undefined || new URL(page.url()).hash !== '') return;
    const isListed = await page.locator('#records').getByText(name, { exact: true }).count();
    await keys.skip(say(isListed > 0 ? 'list.skip' : 'app.skip'));
  };
  const isInRecords = () =>
    page.evaluate<boolean>(`document.activeElement?.closest('#records') != null`);
  /** Presses a key that leads to another page. */
  const goOn = async (key: string) => {
    await leave(page, () => keys.press(key));
    await focusOfPage(page);
  };
  const find: Hands['find'] = async (words, name) => {
    await keys.press('/');
    await untilInPage(page, `document.activeElement?.id === 'q'`);
    await page.keyboard.insertText(words);
    await goOn('Enter');
    await keys.enter(name);
  };
  return {
    tool: 'keys',
    count: () => keys.pressed.count,
    say,
    find,
    visit: (target) => find(say(target), say(target)),
    async press(name) {
      await begin(name);
      if (await isInRecords()) await keys.to(name, 'ArrowDown');
      await keys.enter(name);
    },
    async unfold(name) {
      await begin('');
      await keys.to(say('detail.more'));
      const all = await page.locator('.more > div > *').allTextContents();
      // Down is the first of them, up the last.
      await keys.to(name, all.indexOf(name) < all.length / 2 ? 'ArrowDown' : 'ArrowUp');
      await keys.enter(name);
    },
    async fill(label, text) {
      await begin('');
      await keys.to(label);
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
    },
    async check(label) {
      await begin('');
      await keys.to(label);
      await keys.press('Space');
    },
    submit: () => goOn('Enter'),
    decide: (_name, key) => goOn(key),
  };
}
