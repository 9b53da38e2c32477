import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { COUNTED } from '../records/list.ts';
import type { Change } from './api-client.ts';
import type { Kind } from './catalog.ts';
import { errorPart } from './errors.ts';
import { isChangedByPeople } from './kinds.ts';
import { labelled } from './labelled.ts';
import type { Content, Html } from './layout.ts';
import { nameOf } from './lists.ts';
import type { Names } from './names.ts';
import type { Outcome } from './outcomes.ts';
import { segmentOf } from './paths.ts';
import { dataTable } from './tables.ts';
import { replaced, shown, tag, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/**
 * Shows what an action does to each record, or would do.
 * @param names what the records are called that these are about.
 */
export function outcomeTable(
  c: C,
  kind: Kind,
  outcomes: readonly Outcome[],
  yes: 'act.would' | 'act.did',
  no: 'act.wouldNot' | 'act.didNot',
  names?: Names,
): Html {
  const { translate } = c.get('visit');
  return dataTable(
    translate('act.effect'),
    [translate('act.record'), translate('act.effect')],
    outcomes.map((outcome) => {
      const { key, before, change, problem: why } = outcome;
      const called = before === undefined ? key : nameOf(translate, kind, before, names);
      const effect = () => {
        if (why !== undefined) return errorPart(c.get('visit'), why);
        if (change === undefined) return translate('act.fillIn');
        return html`${translate(change.changed ? yes : no)} ${concerned(c, change)}
${differences(c, kind, before, change)}`;
      };
      return [html`<a href="${HOME}/${kind.name}/${segmentOf(key)}">${called}</a>`, effect()];
    }),
  );
}

/** Shows how many records of each kind an action on everything of a person concerns. */
function concerned(c: C, { records = {} }: Change): Content {
  const { translate } = c.get('visit');
  const counts = Object.entries(records).filter(([, count]) => count > 0);
  return counts.length === 0
    ? ''
    : html`<ul class="plain">${counts.map(
        ([kind, count]) =>
          html`<li>${wordFor(translate, 'kind', `${kind}s`)}:
<strong>${count > COUNTED ? `${COUNTED}+` : count}</strong></li>`,
      )}</ul>`;
}

/** How many records, and rows, an act on everything of a person concerned; empty for others. */
export const aftermath = (c: C, change: Change): Content =>
  html`${concerned(c, change)}${change.erased === undefined ? '' : erasedRows(c, change.erased)}`;

/** Shows the members that the action changes; what follows from them goes without saying. */
export function differences(
  c: C,
  kind: Kind,
  before: Item | undefined,
  { item: after, erased }: Change,
): Content {
  const { translate } = c.get('visit');
  if (after === null) return erased === undefined ? tag(translate, 'gone') : erasedRows(c, erased);
  const changed = Object.keys(after).filter(
    (name) =>
      isChangedByPeople(kind.name, name) &&
      JSON.stringify(after[name]) !== JSON.stringify(before?.[name]),
  );
  if (changed.length === 0) return '';
  // "now → –" would say nothing of a time.
  const isShort = (name: string) => kind.detail[name]?.format !== 'date-time';
  const valueText = (name: string, value: unknown) =>
    shown({ translate, short: isShort(name) }, name, kind.detail[name], value);
  return html`<ul class="plain">${changed.map(
    (name) =>
      html`<li>${wordFor(translate, 'field', name)}:
${replaced(valueText(name, before?.[name]), valueText(name, after[name]))}</li>`,
  )}</ul>`;
}

/** Shows how many rows of each table an erasure deletes. */
function erasedRows(c: C, erased: readonly Item[]): Html {
  const { translate } = c.get('visit');
  const line = ({ table, rows, fate }: Item) => {
    const count = html`${String(rows)} ${tag(translate, String(fate))}`;
    return html`<li>${labelled(translate, wordFor(translate, 'field', String(table)), count)}</li>`;
  };
  return html`<ul class="plain">${erased.map(line)}</ul>`;
}
