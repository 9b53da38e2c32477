import type { SamplePart } from '../samples/parts.ts';
import { html, type Markup } from './html.ts';

/** A button that copies the text of the element with an id; shown by the script, which it needs. */
export function copyButton(id: string, what: string): Markup {
  return html`<button type="button" class="copy" data-copy="${id}" aria-label="Copy ${what}" hidden>Copy</button>`;
}

/** A block of sample text under its heading, with a button to copy it. */
export function codeBlock(
  id: string,
  heading: string,
  title: string,
  pieces: readonly SamplePart[],
): Markup {
  return html`<figure class="code">
<figcaption>${heading} ${copyButton(id, `${title} ${heading.toLowerCase()}`)}</figcaption>
<pre id="${id}">${pieces.map(pieceMarkup)}</pre>
</figure>`;
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
