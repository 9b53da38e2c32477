import type { SamplePart } from '../samples/parts.ts';
import type { ServiceAddress } from '../service-address.ts';
import { html, type Markup, raw } from './html.ts';
import { say } from './reader.ts';
import type { PageWord } from './words.ts';

/** A button that copies the text of the element with an id; shown by the script, which it needs. */
export function copyButton(place: ServiceAddress, id: string, what: string): Markup {
  return html`<button type="button" class="copy" data-copy="${id}" aria-label="${say(place, 'Copy')} ${what}" hidden>${say(place, 'Copy')}</button>`;
}

/** A block of sample text under its heading, with a button to copy it. */
export function codeBlock(
  place: ServiceAddress,
  id: string,
  heading: PageWord,
  title: string,
  pieces: readonly SamplePart[],
): Markup {
  const said = say(place, heading);
  return html`<figure class="code">
<figcaption>${said} ${copyButton(place, id, `${title} ${said.toLowerCase()}`)}</figcaption>
<pre id="${id}">${pieces.map(pieceMarkup)}</pre>
</figure>`;
}

/**
 * A part of a page under its heading. The script folds it where the screen is narrow, as there a
 * reader goes from heading to heading; without scripts it is open.
 */
export function foldable(id: string, heading: string, content: Markup): Markup {
  return html`<details class="fold" open>
<summary><h3 id="${id}">${heading}</h3></summary>
${content}
</details>`;
}

/** Content of which a reader wants one at a time, by the title of its tab. */
export interface Tab {
  /** Of its title: a link to it opens the tab. */
  readonly id: string;
  readonly title: string;
  readonly content: Markup;
}

/**
 * Tabs, the first of them open. They are radio buttons, which need no script; with it the tab that
 * was chosen is open on the next pages, too.
 * @param name of the group and of its heading.
 */
export function tabGroup(name: string, heading: string, tabs: readonly Tab[]): Markup {
  return foldable(
    name,
    heading,
    html`<div class="tabs" role="radiogroup" aria-labelledby="${name}">${tabs.map(
      ({ id, title, content }, index) => html`
<div class="tab">
<input type="radio" name="${name}" id="show-${id}" value="${id}"${index === 0 && raw(' checked')}><label id="${id}" for="show-${id}">${title}</label>
<section aria-labelledby="${id}">
${content}
</section>
</div>`,
    )}
</div>`,
  );
}

/** Each placeholder has its sample value beside it, so that the script can show either. */
function pieceMarkup(piece: SamplePart): Markup {
  if (typeof piece === 'string') return html`${piece}`;
  if ('key' in piece) return html`<span class="key">${piece.key}</span>`;
  const own =
    piece.parameter !== undefined &&
    html` data-parameter="${piece.parameter}" data-writing="${piece.writing ?? ''}"`;
  return html`<var data-sample="${piece.filled}"${own}>${piece.placeholder}</var>`;
}
