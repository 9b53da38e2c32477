import { html, raw } from 'hono/html';
import type { Content, Html } from './layout.ts';

/**
 * Renders a table. A wide table scrolls sideways within the page; on a phone its rows are cards, called by what is in the
 * first column, with the first number at the end of that line, and other values have labels.
 * @param numbers the columns with numbers, which end at the same place.
 * @param said the columns whose values say what they are: they need no label.
 */
export function dataTable(
  caption: string,
  headings: readonly Content[],
  rows: readonly (readonly Content[])[],
  numbers: readonly number[] = [],
  said: readonly number[] = [],
): Html {
  const cellOf = (cell: Content, at: number) => {
    const label = at === 0 ? '' : html` data-label="${labelOf(headings[at])}"`;
    const own = said.includes(at) ? 'said' : at === numbers[0] ? 'count' : '';
    return html`<td${label}${cellClass(cell, numbers.includes(at), own)}>${cell}</td>`;
  };
  const headOf = (heading: Content, at: number) =>
    heading === ''
      ? html`<td></td>`
      : html`<th scope="col"${cellClass(heading, numbers.includes(at))}>${heading}</th>`;
  return html`<div class="scroll stack" role="group" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${headings.map(headOf)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cellOf)}</tr>`)}</tbody>
</table></div>`;
}

/**
 * The class of a cell: on a phone one with nothing in it is left out, and numbers stand below each other.
 * @param own what else it is.
 */
export function cellClass(cell: Content, isNumber: boolean, own = ''): Content {
  const nothing = cell === '–' ? 'none' : '';
  const classes = [nothing, isNumber ? 'number' : '', own].filter((name) => name !== '');
  return classes.length === 0 ? '' : raw(` class="${classes.join(' ')}"`);
}

/** A heading without its links, beside a value. */
const labelOf = (heading: Content = '') =>
  typeof heading === 'string' ? heading.charAt(0).toUpperCase() + heading.slice(1) : '';
