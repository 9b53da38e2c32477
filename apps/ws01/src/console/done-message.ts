import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { type Asked, hidden, hiddenKeys } from './act-form.ts';
import type { Change } from './api-client.ts';
import type { Kind, Verb } from './catalog.ts';
import { secretPart } from './create.ts';
import { errorPart } from './errors.ts';
import { icon } from './icons.ts';
import type { Translate } from './language.ts';
import type { Content, Html } from './layout.ts';
import { nameOf } from './lists.ts';
import { kindsOf, type Names, nameAt } from './names.ts';
import { aftermath, differences, outcomeTable } from './outcome-table.ts';
import type { Outcome } from './outcomes.ts';
import { segmentOf } from './paths.ts';
import { nothingDone, problem, success } from './sign-in-pages.ts';
import { cut } from './text.ts';
import { en, type TextKey } from './texts/en.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Kinds that visitors of the site see while they are published. */
const SHOWN: ReadonlySet<string> = new Set(['articles', 'adverts', 'images', 'reviews']);

/** What the message says besides what was done. */
interface About {
  /** Whether it took another act back. */
  readonly isUndo: boolean;
  /** Whether the page that tells it is not that of the record. */
  readonly isNamed: boolean;
  /** Whether somebody said why. */
  readonly isReasoned: boolean;
}

/**
 * What was done, in one line, with a button to undo it. It is success only for what succeeded. Of
 * many records, and of an edit, what changed is folded below.
 */
export function doneMessage(c: C, asked: Asked, about: About): Html {
  const { kind, verb, undo, outcomes, names, back } = asked;
  const changed = outcomes.filter(({ change }) => change?.changed);
  const [only] = changed;
  const isRevised = verb.method === 'patch' && kind.name === 'articles';
  const earlier =
    undo === verb && only !== undefined && !isRevised ? earlierValues(verb, only) : '';
  const links = outcomes.flatMap(({ change }) => (change?.link ? [change.link] : []));
  const secrets = outcomes.flatMap(({ change }) => change?.token ?? change?.secret ?? []);
  const [successor] = outcomes.flatMap(({ change }) => change?.replacedBy ?? []);
  const { translate } = c.get('visit');
  const [sign, does] = about.isUndo
    ? (['redo', translate('act.redo')] as const)
    : (['undo', translate('act.undo')] as const);
  const wayBack =
    undo === undefined || changed.length === 0
      ? ''
      : html`<form method="post" action="${isRevised ? revisionPath(only!) : `${HOME}/${kind.name}/act`}">
${isRevised ? '' : hiddenKeys(undo.name, changed, back)}${earlier}
${changed.length === 1 ? versionMade(only!) : ''}${about.isUndo ? '' : hidden('undo', 'yes')}
<button name="confirm" value="yes" data-hotkey="u" aria-keyshortcuts="u">${icon('app', sign)}${does}</button></form>`;
  return html`<div class="deed">${said(c, asked, about)}${wayBack}</div>
${links.length === 0 ? '' : secretPart(c, links.join('\n'), 'create.link')}
${secrets.length === 0 ? '' : secretPart(c, secrets.join('\n'), 'create.secret')}
${successor === undefined ? '' : successorLink(c, kind, successor)}
${outcomes.length === 1 ? effectOfOne(c, kind, verb, outcomes[0]!) : effects(c, kind, outcomes, names)}`;
}

function said(
  c: C,
  { kind, verb, outcomes, names }: Asked,
  { isUndo, isNamed, isReasoned }: About,
): Content {
  const { translate, language } = c.get('visit');
  const count = outcomes.filter(({ change }) => change?.changed).length;
  const told = { did: deedOf(translate, kind.name, verb.name), count, all: outcomes.length };
  const [only] = outcomes;
  if (outcomes.length === 1 && only?.problem !== undefined)
    return problem(errorPart(c.get('visit'), only.problem));
  if (outcomes.some(({ problem: why }) => why !== undefined))
    return problem(translate(count === 0 ? 'act.refused' : 'act.partly', told));
  if (count === 0) return nothingDone(translate('act.unchanged'));
  if (outcomes.length > 1) return success(translate(isUndo ? 'act.undoneAll' : 'act.done', told));
  const done = isUndo ? translate('act.undone') : told.did;
  const author = isReasoned ? 'desk.told' : 'did.reject.untold';
  const rejected =
    verb.name === 'reject' && !isUndo ? [translate('did.reject.unseen'), translate(author)] : [];
  const text = [done, consequenceOf(translate, kind, only!), ...rejected]
    .filter((part) => part !== '')
    .join(language === 'zh' ? '' : ' ');
  if (!isNamed || only?.before === undefined) return success(text);
  const { path, name: plain } = subjectOf(c, kind, only, names);
  const called = html`<bdi>${plain}</bdi>`;
  const name = only.change?.item === null ? called : html`<a href="${path}">${called}</a>`;
  return success(html`${name} – ${text}`);
}

/** What was acted on, by name: of a report the record that readers reported. */
function subjectOf(c: C, kind: Kind, { key, before = {} }: Outcome, names?: Names) {
  const { translate } = c.get('visit');
  const reported = kind.name === 'reports' ? nameAt(names, 'targetKey', before) : undefined;
  if (reported === undefined)
    return { path: pathOf(kind.name, key), name: nameOf(translate, kind, before, names) };
  const [about] = kindsOf('targetKey', before);
  return { path: pathOf(about!, String(before.targetKey)), name: cut(reported, 80) };
}

const pathOf = (kind: string, key: string): string => `${HOME}/${kind}/${segmentOf(key)}`;

/** What was done with a record: `Held.` */
function deedOf(translate: Translate, kind: string, verb: string): string {
  const own = `did.${kind}.${verb}`;
  return translate((Object.hasOwn(en, own) ? own : `did.${verb}`) as TextKey);
}

/** What it is for visitors, where that is another thing than before. */
function consequenceOf(translate: Translate, { name }: Kind, { before, change }: Outcome): string {
  const isShown = (item: Item | null | undefined) => item?.state === 'published';
  if (!SHOWN.has(name) || before === undefined || isShown(before) === isShown(change?.item))
    return '';
  return translate(isShown(before) ? 'did.unseen' : 'did.seen');
}

/**
 * What an act on one record did beyond its line: an edit its changes, what concerns a whole person
 * how much it was.
 */
function effectOfOne(c: C, kind: Kind, verb: Verb, { before, change }: Outcome): Content {
  if (change?.changed !== true) return '';
  if (verb.method === 'patch') return folded(c, differences(c, kind, before, change));
  return aftermath(c, change as Change);
}

/** What an act did to each of several records; what was refused is seen at once. */
function effects(c: C, kind: Kind, outcomes: readonly Outcome[], names: Asked['names']): Content {
  const table = outcomeTable(c, kind, outcomes, 'act.did', 'act.didNot', names);
  return outcomes.some(({ problem: why }) => why !== undefined) ? table : folded(c, table);
}

const folded = (c: C, content: Content): Content =>
  content === ''
    ? ''
    : html`<details><summary>${c.get('visit').translate('act.changes')}</summary>${content}</details>`;

/** Leads to what was made in the place of a record. */
const successorLink = (c: C, { name }: Kind, key: string): Html =>
  html`<p><a href="${HOME}/${name}/${segmentOf(key)}">${c.get('visit').translate('create.successor')}</a></p>`;

/** What an article said before is a revision, which is restored. */
export const revisionPath = ({ key, before }: Outcome) =>
  `${HOME}/articles/${segmentOf(key)}/revisions/${String(before?.revision)}/restore`;

/** The earlier values of what an edit changed, as {@link bodyOf} reads them. */
function earlierValues({ body }: Verb, { before, change }: Outcome): Html {
  const members = Object.keys(body).filter((name) => name in (change?.item ?? {}));
  const changed = members.filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(change?.item?.[name]),
  );
  const textsOf = (name: string) => [before?.[name] ?? ''].flat().map(String);
  return html`${changed.map((name) => textsOf(name).map((text) => hidden(`b-${name}`, text)))}`;
}

/** The version that an act made: what others change after it is not taken back unseen. */
export const versionMade = ({ change }: Outcome): Html | '' =>
  change?.version === undefined ? '' : hidden('version', change.version);
