import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import {
  type ActState,
  type Asked,
  actPage,
  bodyOf,
  isSent,
  takenMembers,
  titleOfAct,
} from './act-form.ts';
import { type ApiClient, apiFor } from './api-client.ts';
import type { Kind, Verb } from './catalog.ts';
import { isAtOnce, isAtOnceForSeveral, isConfirmed, isFinal } from './confirmation.ts';
import { conflictPart, takesTheirs, withoutTheirs } from './conflicts.ts';
import { doneMessage } from './done-message.ts';
import { doOnce, type Ended } from './done-once.ts';
import { besideOf } from './editor.ts';
import type { SentForm } from './field-values.ts';
import { consolePath, formText, formTexts } from './forms.ts';
import { labelled } from './labelled.ts';
import type { ConsolePageDeps, Content, Html, Page } from './layout.ts';
import { addForm, nameOf, undoingVerb, verbForm, verbsFor } from './lists.ts';
import { namesOf } from './names.ts';
import { type Outcome, outcomeOf } from './outcomes.ts';
import { segmentOf } from './paths.ts';
import { questionsAbout } from './questions.ts';
import { nothingDone, problem, success } from './sign-in-pages.ts';
import { goOnTelling } from './told-once.ts';
import { shown, tabOf, verbFor, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';
import { WATCHED } from './watched.ts';
import { wayToRecord } from './way.ts';

type C = Context<ConsoleEnv>;

/** Maximum number of records of one action: a page of a list. */
const MAX_KEYS = 100;

/** How often an edit is tried again whose record somebody else changes meanwhile, in other members. */
const MERGES = 3;

/** Pages that act on one or several records: first a preview, then the action with a button to undo it. */
export function actRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  for (const kind of deps.kindsByName.values()) {
    if (kind.verbs.some(({ name }) => name === 'edit'))
      app.get(`/${kind.name}/:key/edit`, (c) => editPage(deps, c, kind, c.req.param('key')));
    app.post(`/${kind.name}/act`, (c) => act(deps, c, kind));
  }
  return app;
}

/** @throws {Ws01Error} `Forbidden` for a verb that the role does not have, or that is for who has just signed in. */
function allowedVerb(deps: ConsolePageDeps, c: C, kind: Kind, name: string): Verb {
  const verb = verbsFor(c, kind).find((one) => one.name === name);
  if (verb === undefined) throw new Ws01Error('Forbidden', 'Your role does not allow this.');
  if (verb.confirmed) assertConfirmed(c.get('admin').confirmedAt, deps.clock());
  return verb;
}

async function editPage(deps: ConsolePageDeps, c: C, kind: Kind, key: string): Promise<Response> {
  const verb = allowedVerb(deps, c, kind, 'edit');
  const api = apiFor(deps, c);
  const { item: before, version } = await api.read(`/${kind.name}/${segmentOf(key)}`);
  const titles = editTitles(c, kind, before);
  const outcomes = [{ key, before, version, change: undefined, problem: undefined }];
  const asked = { kind, verb, undo: verb, outcomes, back: recordPath(kind, [key]) };
  const beside = await besideOf(c, api, kind, key);
  const content = actPage(c, asked, { values: {}, beside });
  return deps.show(c, { ...titles, content, editor: true });
}

/** What the page of an edit is called, its tab, and the way back to the record. */
function editTitles(c: C, kind: Kind, before: Item): Pick<Page, 'title' | 'tab' | 'way'> {
  const { translate } = c.get('visit');
  const [verb, name] = [verbFor(translate, kind.name, 'edit'), nameOf(translate, kind, before)];
  return {
    title: labelled(translate, verb, name),
    way: wayToRecord(c, kind, recordPath(kind, [String(before[kind.key])]), name),
    tab: labelled(translate, verb, tabOf(translate, kind.name, name)),
  };
}

/** A form that was sent, for one verb and some records. */
interface SentAct {
  readonly deps: ConsolePageDeps;
  readonly c: C;
  readonly api: ApiClient;
  readonly kind: Kind;
  readonly verb: Verb;
  /** What would take it back. */
  readonly undo: Verb | undefined;
  readonly keys: readonly string[];
  readonly form: SentForm;
  /** Where it leads when it is done. */
  readonly back: string;
  /** One record is edited in a form. */
  readonly isEditor: boolean;
  /** It takes back another act. */
  readonly isUndo: boolean;
  /** It is done without a question. */
  readonly isNow: boolean;
  readonly sent: Pick<ActState, 'values' | 'opened'>;
}

/** A form that asks for an action, or confirms it. */
async function act(deps: ConsolePageDeps, c: C, kind: Kind): Promise<Response> {
  const { translate } = c.get('visit');
  const now = await formText(c, 'now');
  const name = now === '' ? await formText(c, 'verb') : now;
  const keys = [...new Set(await formTexts(c, 'key'))]
    .filter((key) => key.trim() !== '')
    .slice(0, MAX_KEYS);
  const refused = (content: Content) =>
    deps.show(c, { title: wordFor(translate, 'kind', kind.name), content }, 400);
  if (keys.length > 0 && name === '')
    return refused(verbForm(c, kind, keys, await formText(c, 'back')));
  if (name === '') return refused(problem(translate('act.none')));
  const verb = allowedVerb(deps, c, kind, name);
  if (keys.length === 0)
    return refused(
      verb.tail === '/add'
        ? addForm(c, kind, translate('form.empty'))
        : problem(translate('act.none')),
    );
  const asked = await sentAct(deps, c, kind, verb, keys, now !== '');
  return (await questionBefore(asked)) ?? (await actOnce(asked));
}

async function sentAct(
  deps: ConsolePageDeps,
  c: C,
  kind: Kind,
  verb: Verb,
  keys: readonly string[],
  isAskedNow: boolean,
): Promise<SentAct> {
  const sentForm: SentForm = await c.req.parseBody({ all: true });
  const form = takesTheirs(sentForm) ? { ...withoutTheirs(sentForm), confirm: 'yes' } : sentForm;
  const undo = undoOf(c, kind, verb);
  const hasWayBack = typeof form.back === 'string' && form.back !== '';
  const mayBeNow = keys.length === 1 ? isAtOnce : isAtOnceForSeveral;
  const isOpened = Object.keys(form).some((name) => name.startsWith('was-'));
  return {
    ...{ deps, c, kind, verb, keys, form, undo },
    api: apiFor(deps, c),
    back: hasWayBack ? consolePath(form.back as string) : recordPath(kind, keys),
    isEditor: verb.method === 'patch' && keys.length === 1,
    isUndo: form.undo === 'yes',
    isNow: isAskedNow && mayBeNow(kind, verb, undo),
    sent: { values: sentValues(form, verb), opened: isOpened ? form : undefined },
  };
}

/** What is asked before it is done: whether it is meant, a name to type, what is doubtful. */
async function questionBefore(asked: SentAct): Promise<Response | undefined> {
  const { deps, c, api, kind, verb, undo, keys, form, isEditor, isNow, sent } = asked;
  if (form.confirm !== 'yes' && !isNow) return showForm(asked, await actOnAll(asked, true), sent);
  // Who does it with a reason has a button of its own for none.
  if (isNow && typeof form['b-reason'] === 'string' && form['b-reason'].trim() === '') {
    const refusal = missing('reason');
    return showForm(asked, await actOnAll(asked, true), { ...sent, refusal }, 400);
  }
  if (isFinal(verb, undo)) {
    const expected = await actOnAll(asked, true);
    const isOpen = expected.some(({ change }) => change?.changed);
    if (isOpen && !isConfirmed(await formText(c, 'typed'), kind, expected))
      return showForm(asked, expected, { ...sent, isMistyped: true }, 400);
  }
  const questions = isEditor ? await questionsAbout(deps, c, kind, form, 'b-') : undefined;
  if (questions === undefined) return undefined;
  const before = await api.get(`/${kind.name}/${segmentOf(keys[0]!)}`);
  const outcome = { key: keys[0]!, before, change: undefined, problem: undefined };
  return showForm(asked, [outcome], { ...sent, questions });
}

async function actOnce(asked: SentAct): Promise<Response> {
  const { deps, c, form, isEditor, back } = asked;
  const ended = () => (isEditor ? edited(asked) : acted(asked));
  return (await doOnce(deps, form, ended)) ?? (await goOnTelling(deps, c, back, twice(c)))!;
}

async function edited(asked: SentAct): Promise<Ended> {
  const { deps, c, kind, verb, keys, form, back, isUndo, sent } = asked;
  if (takesTheirs(form) && Object.keys(bodyOf(form, verb, c.get('visit').timeZone)).length === 0) {
    const kept = success(c.get('visit').translate('form.theirsKept'));
    return { isDone: true, answer: async () => (await goOnTelling(deps, c, back, kept))! };
  }
  const { outcome, state, status } = await editOf(deps, c, kind, verb, keys[0]!, form);
  const isDone = state === undefined;
  const answer = async () =>
    isDone
      ? done(deps, c, await named(asked, [outcome]), { isUndo })
      : showForm(asked, [outcome], { ...sent, ...state }, status);
  return { isDone, answer };
}

async function acted(asked: SentAct): Promise<Ended> {
  const { deps, c, api, kind, verb, keys, form, isUndo, isNow, sent } = asked;
  const watch = keys.length === 1 ? WATCHED[`${kind.name}.${verb.name}`] : undefined;
  const endOf = await watch?.(c, api, keys[0]!);
  const outcomes = await actOnAll(asked, false, isUndo ? versionOf(form) : undefined);
  const [refusal] = outcomes.map(({ problem: why }) => why);
  const isWithFields = Object.keys(verb.body).some(
    (member) => member !== 'reason' || verb.required.length > 0,
  );
  const answer = async () => {
    if (refusal?.parameter === 'If-Match')
      return showForm(asked, await actOnAll(asked, true), { ...sent, isOvertaken: true }, 409);
    if (refusal !== undefined && isWithFields && keys.length === 1)
      return showForm(asked, outcomes, { ...sent, refusal }, 400);
    const said = refusal === undefined ? await endOf?.() : undefined;
    const isReasoned = String(form['b-reason'] ?? '').trim() !== '';
    return done(deps, c, await named(asked, outcomes), { said, isNow, isUndo, isReasoned });
  };
  return { isDone: outcomes.some(({ problem: why }) => why === undefined), answer };
}

/** Acts on each record, or sees what would become of it. */
function actOnAll(
  { c, api, kind, verb, keys, form }: SentAct,
  preview: boolean,
  version?: string,
): Promise<Outcome[]> {
  const body = () => bodyOf(form, verb, c.get('visit').timeZone);
  return Promise.all(
    keys.map((key) => outcomeOf(api, kind, verb, key, body(), { preview, version })),
  );
}

/** The act with its result for each record, and the names of whom they concern. */
async function named(
  { c, api, kind, verb, undo, back }: SentAct,
  outcomes: readonly Outcome[],
): Promise<Asked> {
  const records = outcomes.flatMap(({ before }) => (before === undefined ? [] : [before]));
  const names = await namesOf(api, records);
  return { kind, verb, undo: undo && undoAfter(c, kind, undo, outcomes), outcomes, back, names };
}

async function showForm(
  asked: SentAct,
  outcomes: readonly Outcome[],
  state: ActState,
  status: 200 | 400 | 409 = 200,
): Promise<Response> {
  const { deps, c, api, kind, undo, keys, isEditor } = asked;
  const beside = isEditor ? await besideOf(c, api, kind, keys[0]!) : undefined;
  const [{ before } = {}] = outcomes;
  const page = await named(asked, outcomes);
  const titles =
    isEditor && before !== undefined ? editTitles(c, kind, before) : { title: titleOfAct(c, page) };
  const content = actPage(c, page, { ...state, beside });
  // What cannot be undone is not begun by a second press of Enter.
  const focus = undo === undefined && status === 200;
  return deps.show(c, { ...titles, content, focus, editor: isEditor }, status);
}

/** What is said of a member that is not there. */
const missing = (member: string) =>
  new Ws01Error('MissingParameter', say`${{ field: member }} is required.`, { parameter: member });

/** The version that a form was opened with, or that what it takes back had made. */
const versionOf = ({ version }: SentForm): string | undefined =>
  typeof version === 'string' && version !== '' ? version : undefined;

/** The texts that a form was sent with, by member. */
function sentValues(form: SentForm, { body }: Verb): Record<string, unknown> {
  const sent = Object.entries(body).filter(([name, schema]) => isSent(form, name, schema));
  return Object.fromEntries(sent.map(([name]) => [name, form[`b-${name}`] ?? []]));
}

/** What became of an edit; `state` is why the form is shown again. */
interface Edit {
  readonly outcome: Outcome;
  readonly state?: Partial<ActState>;
  readonly status?: 400 | 409;
}

/**
 * Edits a record as its form was opened. Where somebody else has changed other members meanwhile,
 * both changes hold; where they changed the same, the person chooses.
 */
async function editOf(
  deps: ConsoleDeps,
  c: C,
  kind: Kind,
  verb: Verb,
  key: string,
  form: SentForm,
): Promise<Edit> {
  const api = apiFor(deps, c);
  const body = bodyOf(form, verb, c.get('visit').timeZone);
  let version = versionOf(form);
  for (let tries = 0; ; tries++) {
    const outcome = await outcomeOf(api, kind, verb, key, body, { preview: false, version });
    if (outcome.problem?.parameter !== 'If-Match')
      return outcome.problem === undefined
        ? { outcome }
        : { outcome, state: { refusal: outcome.problem }, status: 400 };
    const present = await api.read(`/${kind.name}/${segmentOf(key)}`);
    const taken = takenMembers(c, form, verb, Object.keys(body), present.item);
    if (taken.length > 0 || tries === MERGES) {
      const others = Object.fromEntries(
        taken.map((name) => [name, otherValue(c, kind, name, present.item)]),
      );
      const conflict = await conflictPart(c, api, key);
      return { outcome, state: { others, conflict, present }, status: 409 };
    }
    version = present.version;
  }
}

const otherValue = (c: C, kind: Kind, name: string, present: Item): Content =>
  shown(
    { translate: c.get('visit').translate, short: true },
    name,
    kind.detail[name],
    present[name],
  );

/** How an act was asked for, and what is said of it. */
interface Told {
  /** The message in the place of the usual one. */
  readonly said?: Content | undefined;
  /** Whether it was done without a page before. */
  readonly isNow?: boolean;
  /** Whether it takes another one back. */
  readonly isUndo?: boolean;
  /** Whether somebody said why. */
  readonly isReasoned?: boolean;
}

/** Goes on to where the person came from, and tells there what was done; what is too long for that has a page. */
async function done(
  deps: ConsolePageDeps,
  c: C,
  asked: Asked,
  { said, isNow = false, isUndo = false, isReasoned = false }: Told,
): Promise<Response> {
  const { kind, verb, outcomes, back } = asked;
  const isOfOne = consolePath(back) === recordPath(kind, [outcomes[0]?.key ?? '']);
  const isGone = outcomes.some(({ change }) => change?.item === null);
  const path = isGone && isOfOne ? `${HOME}/${kind.name}` : back;
  const content =
    said ??
    doneMessage(c, { ...asked, back: path }, { isUndo, isReasoned, isNamed: !isOfOne || isGone });
  // Where nothing was done, a reload does no harm.
  const isDone = isNow || outcomes.some(({ change }) => change?.changed);
  const told = isDone ? await goOnTelling(deps, c, path, content) : undefined;
  if (told !== undefined) return told;
  const { translate } = c.get('visit');
  const link = html`<p><a class="button" href="${path}">${translate('app.back')}</a></p>`;
  return deps.show(c, {
    title: verbFor(translate, kind.name, verb.name),
    content: html`${content}${link}`,
  });
}

function twice(c: C): Html {
  return nothingDone(c.get('visit').translate('form.twice'));
}

/** Returns the verb that undoes another one. An edit is undone by an edit that brings the earlier values back. */
function undoOf(c: C, kind: Kind, verb: Verb): Verb | undefined {
  if (verb.method === 'patch') return verb;
  return undoingVerb(c, kind, verb.name);
}

/** What is published again from a hold is held again; of several records with different undos there is none. */
function undoAfter(c: C, kind: Kind, undo: Verb, outcomes: readonly Outcome[]): Verb | undefined {
  if (undo.name !== 'pend') return undo;
  const changed = outcomes.filter(({ change }) => change?.changed);
  const held = changed.filter(({ before }) => before?.state === 'held');
  if (held.length === 0) return undo;
  return held.length === changed.length ? undoingVerb(c, kind, 'release') : undefined;
}

/** The page of the only record of an action, or the list of several. */
function recordPath({ name }: Kind, keys: readonly string[]): string {
  return keys.length === 1 ? `${HOME}/${name}/${segmentOf(keys[0]!)}` : `${HOME}/${name}`;
}
