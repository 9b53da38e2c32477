import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { leave, untilInPage } from './browser.ts';

/**
 * Waits until a page has put the focus where it wants it. The browser does so with its first frame, which may come
 * after the load: a key before that would begin at the top, as no person is fast enough to do.
 */
export async function focusOfPage(page: Page): Promise<void> {
  await untilInPage(
    page,
    `(() => {
    const wanted = document.querySelector('[autofocus]');
    return wanted === null || wanted.matches(':focus');
  })()`,
  );
}

/** What has the keyboard focus. */
interface Stop {
  readonly id: string;
  readonly name: string;
  readonly outline: string;
}

/**
 * Walks a page by the keys Tab and Enter, as a person without a mouse; where the focus is must be
 * seen at each stop.
 */
export function keyboardOf(page: Page) {
  const pressed = { count: 0 };
  const press = async (key: string) => {
    pressed.count++;
    await page.keyboard.press(key);
  };
  const stop = async (): Promise<Stop | undefined> => {
    const at = await page.evaluate<Stop | null>(`(() => {
      const element = document.activeElement;
      if (element === null || element.matches('body, main')) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return {
        id: element.id,
        name: (element.ariaLabel ?? (element.labels?.[0] ?? element).textContent).replaceAll(/\\s+/g, ' ').trim(),
        outline: outlineStyle + ' ' + outlineWidth,
      };
    })()`);
    if (at === null) return undefined;
    assert.match(
      at.outline,
      /^(?:solid|auto) [1-9]/,
      `the focus is not seen at ${JSON.stringify(at)}`,
    );
    return at;
  };
  /** Presses Tab, or another key that moves the focus, until something of that name has it; it may have it already. */
  const to = async (name: string, key: 'Tab' | 'Shift+Tab' | 'ArrowDown' | 'ArrowUp' = 'Tab') => {
    const passed: string[] = [];
    while (passed.length < 100) {
      const at = await stop();
      if (at?.name === name) return;
      passed.push(at?.name ?? '');
      await press(key);
    }
    assert.fail(`${key} does not lead to ${name}: ${passed.join(' | ')}`);
  };
  /** Follows a link, or presses a button, of that name; both lead to another page. */
  const enter = async (name: string) => {
    await to(name);
    await leave(page, () => press('Enter'));
    await focusOfPage(page);
  };
  /** Uses a link that skips a part of the page. */
  const skip = async (name: string) => {
    await to(name);
    await press('Enter');
    // The browser moves the focus after the key.
    await untilInPage(
      page,
      `document.activeElement?.textContent.trim() !== ${JSON.stringify(name)}`,
    );
  };
  return { pressed, press, stop, to, enter, skip };
}
