import { html } from 'hono/html';
import type { Content, Html } from './layout.ts';

/** Renders a table. A wide table scrolls sideways within the page. */
export function dataTable(
  caption: string,
  headings: readonly Content[],
  rows: readonly (readonly Content[])[],
): Html {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${headings.map((heading) => (heading === '' ? html`<td></td>` : html`<th scope="col">${heading}</th>`))}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}
