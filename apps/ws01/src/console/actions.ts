import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { apiFor, type Change, type Item } from './api-client.ts';
import type { FieldSchema, Kind, KindsByName, Verb } from './catalog.ts';
import { confirmationField, confirmationOf, isConfirmed, isFinal } from './confirmation.ts';
import { secretPart } from './create.ts';
import { errorPart } from './errors.ts';
import { formText, formTexts } from './forms.ts';
import { DESTRUCTIVE, UNDONE_BY } from './kinds.ts';
import { hintOf, sentenceOf } from './language.ts';
import type { Content, Html, Show } from './layout.ts';
import { nameOf, verbsFor } from './lists.ts';
import { type Outcome, outcomeOf } from './outcomes.ts';
import { segmentOf } from './paths.ts';
import { problem, success } from './sign-in-pages.ts';
import { dataTable } from './tables.ts';
import { asInstant, marked, shown, tag, verbFor, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Maximum number of records of one action: a page of a list. */
const MAX_KEYS = 100;

/** Pages that act on one or several records: first a preview, then the action with a button to undo it. */
export function actRoutes(deps: ConsoleDeps, kindsByName: KindsByName, show: Show): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  for (const kind of kindsByName.values()) {
    app.post(`/${kind.name}/act`, async (c) => {
      const { translate } = c.get('visit');
      const [name, keys] = [await formText(c, 'verb'), [...new Set(await formTexts(c, 'key'))].slice(0, MAX_KEYS)];
      const verb = verbsFor(c, kind).find((one) => one.name === name);
      if (verb === undefined) throw new Ws01Error('Forbidden', 'Your role does not allow this.');
      if (keys.length === 0)
        return show(c, { title: wordFor(translate, 'kind', kind.name), content: problem(translate('act.none')) }, 400);
      const api = apiFor(deps, c);
      const body = await bodyOf(c, verb);
      const isAsked = (await formText(c, 'confirm')) === 'yes';
      const actOnAll = (preview: boolean) =>
        Promise.all(keys.map((key) => outcomeOf(api, kind, verb, key, body, preview)));
      const isTyped = isAsked && isFinal(verb, undoOf(c, kind, verb));
      const expected = isTyped ? await actOnAll(true) : [];
      const isOpen = expected.some(({ change }) => change?.changed);
      const isWrong = isOpen && !isConfirmed(await formText(c, 'typed'), kind, expected);
      const isDone = isAsked && !isWrong;
      const outcomes = isWrong ? expected : await actOnAll(!isDone);
      const title = isDone
        ? verbFor(translate, kind.name, verb.name)
        : translate('act.title', { verb: verbFor(translate, kind.name, verb.name) });
      if (isDone) return show(c, { title, content: donePage(c, kind, verb, outcomes) });
      const content = previewPage(c, kind, verb, outcomes, body, isWrong);
      // What cannot be undone is not begun by a second press of Enter.
      const focus = undoOf(c, kind, verb) === undefined && !isWrong;
      return show(c, { title, content, focus }, isWrong ? 400 : 200);
    });
  }
  return app;
}

/** Returns the body of a verb from a form. An empty field clears a nullable member, and is left out otherwise. */
async function bodyOf(c: C, { body }: Verb): Promise<Record<string, unknown>> {
  const told: Record<string, unknown> = {};
  const form = await c.req.parseBody();
  for (const [name, schema] of Object.entries(body)) {
    const value = form[`b-${name}`];
    if (typeof value !== 'string') continue;
    if (isOf(schema, 'boolean')) told[name] = value === 'true';
    else if (value !== '') told[name] = isOf(schema, 'integer') ? Number(value) : asInstant(schema, value);
    else if (isOf(schema, 'null')) told[name] = null;
  }
  return told;
}

const isOf = ({ type }: FieldSchema, wanted: string) => (Array.isArray(type) ? type.includes(wanted) : type === wanted);

function previewPage(
  c: C,
  kind: Kind,
  verb: Verb,
  outcomes: readonly Outcome[],
  body: Record<string, unknown>,
  isWrong: boolean,
): Html {
  const { translate } = c.get('visit');
  const word = verbFor(translate, kind.name, verb.name);
  const changes = outcomes.some(({ change }) => change?.changed);
  const isOpen = outcomes.some(({ change, problem: why }) => change === undefined && why === undefined);
  const undone = undoOf(c, kind, verb);
  // What the form below can put right is tried again; the key cannot be.
  const isRefused = verb.tail === '/add' && outcomes.every(({ problem: why }) => why !== undefined);
  return html`<p>${sentenceOf(c.get('visit').language, verb.summary)}</p>
<p class="notice">${translate(changes || isOpen ? 'act.previewOf' : 'act.nothing')}${isFinal(verb, undone) ? ` ${translate('act.final')}` : ''}</p>
${outcomeTable(c, kind, outcomes, 'act.would', 'act.wouldNot')}
<form method="post" action="${HOME}/${kind.name}/act" class="narrow">
${hiddenKeys(verb.name, outcomes)}
${Object.entries(verb.body)
  .filter(([, { deprecated }]) => deprecated !== true)
  .map(([name, schema]) =>
    bodyField(
      c,
      name,
      schema,
      body[name] ?? outcomes[0]?.before?.[name],
      outcomes.length === 1 || name === 'reason',
      verb.required.includes(name),
    ),
  )}
${isFinal(verb, undone) && !isRefused ? confirmationField(translate, confirmationOf(kind, outcomes), isWrong) : ''}
<div class="tools">${isRefused ? '' : html`<button name="confirm" value="yes" class="${DESTRUCTIVE.has(verb.name) ? 'danger' : 'primary'}"${undone === undefined ? '' : raw(' autofocus')}>${translate('act.confirm', { verb: word })}</button>`}
${verb.method === 'patch' ? html`<button>${translate('list.preview')}</button>` : ''}
<a class="button" href="${backTo(kind, outcomes)}">${translate('app.cancel')}</a></div>
</form>`;
}

function donePage(c: C, kind: Kind, verb: Verb, outcomes: readonly Outcome[]): Html {
  const { translate } = c.get('visit');
  const changed = outcomes.filter(({ change }) => change?.changed);
  const undo = undoOf(c, kind, verb);
  const [only] = changed;
  const earlier = undo === verb && only !== undefined ? hiddenValues(verb, only) : '';
  const told = { verb: verbFor(translate, kind.name, verb.name), count: changed.length, all: outcomes.length };
  const links = outcomes.flatMap(({ change }) => (change?.link ? [change.link] : []));
  return html`${success(translate('act.done', told))}
${links.length === 0 ? '' : secretPart(c, links.join('\n'), 'create.link')}
<div class="tools">${
    undo === undefined || changed.length === 0
      ? ''
      : html`<form method="post" action="${HOME}/${kind.name}/act">${hiddenKeys(undo.name, changed)}${earlier}<button name="confirm" value="yes">${translate('act.undo')}</button></form>`
  }
<a class="button" href="${backTo(kind, outcomes)}">${translate('app.back')}</a></div>
${outcomeTable(c, kind, outcomes, 'act.did', 'act.didNot')}`;
}

/** Returns the verb that undoes another one. An edit is undone by an edit that brings the earlier values back. */
function undoOf(c: C, kind: Kind, verb: Verb): Verb | undefined {
  if (verb.method === 'patch') return verb;
  return verbsFor(c, kind).find((other) => UNDONE_BY[verb.name]?.includes(other.name));
}

/** The earlier values of what an edit changed, as {@link bodyOf} reads them. */
function hiddenValues({ body }: Verb, { before, change }: Outcome): Html {
  const members = Object.keys(body).filter((name) => name in (change?.item ?? {}));
  const changed = members.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(change?.item?.[name]));
  return html`${changed.map((name) => html`<input type="hidden" name="b-${name}" value="${String(before?.[name] ?? '')}">`)}`;
}

function hiddenKeys(verb: string, outcomes: readonly Outcome[]): Html {
  return html`<input type="hidden" name="verb" value="${verb}">${outcomes.map(({ key }) => html`<input type="hidden" name="key" value="${key}">`)}`;
}

function backTo({ name }: Kind, outcomes: readonly Outcome[]): string {
  const [only] = outcomes;
  const isThere = outcomes.length === 1 && only?.change?.item !== null;
  return isThere ? `${HOME}/${name}/${segmentOf(only!.key)}` : `${HOME}/${name}`;
}

/** Shows what an action does to each record, or would do. */
export function outcomeTable(
  c: C,
  kind: Kind,
  outcomes: readonly Outcome[],
  yes: 'act.would' | 'act.did',
  no: 'act.wouldNot' | 'act.didNot',
): Html {
  const { translate } = c.get('visit');
  return dataTable(
    translate('act.effect'),
    [translate('act.record'), translate('act.effect')],
    outcomes.map(({ key, before, change, problem: why }) => [
      html`<a href="${HOME}/${kind.name}/${segmentOf(key)}">${before === undefined ? key : nameOf(translate, kind, before)}</a>`,
      why === undefined
        ? html`${translate(change === undefined ? 'act.fillIn' : change.changed ? yes : no)} ${change === undefined ? '' : differences(c, kind, before, change)}`
        : errorPart(c.get('visit'), why),
    ]),
  );
}

/** Shows the members that the action changes. */
function differences(c: C, kind: Kind, before: Item | undefined, { item: after, erased }: Change): Content {
  const { translate } = c.get('visit');
  if (after === null) return erased === undefined ? tag(translate, 'gone') : erasedRows(c, erased);
  const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before?.[name]));
  if (changed.length === 0) return '';
  return html`<ul class="plain">${changed.map(
    (name) =>
      html`<li>${wordFor(translate, 'field', name)}: <del>${shown(translate, name, kind.detail[name], before?.[name], true)}</del> → <ins>${shown(translate, name, kind.detail[name], after[name], true)}</ins></li>`,
  )}</ul>`;
}

/** Shows how many rows of each table an erasure deletes. */
function erasedRows(c: C, erased: readonly Item[]): Html {
  const { translate } = c.get('visit');
  return html`<ul class="plain">${erased.map(
    ({ table, rows, fate }) =>
      html`<li>${wordFor(translate, 'field', String(table))}: ${String(rows)} ${tag(translate, String(fate))}</li>`,
  )}</ul>`;
}

/** Shows the form field for a member of a verb's body. */
function bodyField(
  c: C,
  name: string,
  schema: FieldSchema,
  value: unknown,
  isShown: boolean,
  isRequired: boolean,
): Content {
  if (!isShown) return '';
  const { translate } = c.get('visit');
  const id = `b-${name}`;
  const label = html`<label for="${id}">${wordFor(translate, 'field', name)}</label>`;
  const hint = schema.description
    ? html`<p class="hint" id="h-${name}">${marked(hintOf(c.get('visit').language, schema.description))}</p>`
    : '';
  if (isOf(schema, 'boolean')) {
    return html`${label}<select id="${id}" name="${id}"><option value="true" ${value === true ? 'selected' : ''}>${translate('app.yes')}</option><option value="false" ${value === true ? '' : 'selected'}>${translate('app.no')}</option></select>${hint}`;
  }
  if (schema.enum !== undefined) {
    return html`${label}<select id="${id}" name="${id}">${schema.enum.map((word) => word !== null && html`<option value="${word}" ${word === value ? 'selected' : ''}>${wordFor(translate, 'value', word)}</option>`)}</select>${hint}`;
  }
  const text = name === 'reason' || value === null || value === undefined ? '' : String(value);
  const type = schema.format === 'date-time' ? 'date' : 'text';
  return html`${label}<input id="${id}" name="${id}" type="${type}" value="${type === 'date' ? text.slice(0, 10) : text}" maxlength="${schema.maxLength ?? 400}" ${isRequired ? 'required' : ''}>${hint}`;
}
