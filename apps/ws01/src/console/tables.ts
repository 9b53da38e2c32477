import { html, raw } from 'hono/html';
import type { Content, Html } from './layout.ts';

/** Renders a table. A wide table scrolls sideways within the page; on a phone its rows are cards with labels. */
export function dataTable(
  caption: string,
  headings: readonly Content[],
  rows: readonly (readonly Content[])[],
): Html {
  const cellOf = (cell: Content, at: number) =>
    html`<td data-label="${labelOf(headings[at])}"${cell === '–' ? raw(' class="none"') : ''}>${cell}</td>`;
  return html`<div class="scroll stack" role="group" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${headings.map((heading) => (heading === '' ? html`<td></td>` : html`<th scope="col">${heading}</th>`))}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cellOf)}</tr>`)}</tbody>
</table></div>`;
}

/** A heading without its links, beside a value. */
const labelOf = (heading: Content = '') => (typeof heading === 'string' ? heading : '');
