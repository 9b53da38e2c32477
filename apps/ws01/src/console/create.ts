import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import type { Scope } from '../contract/parameters.ts';
import { mayActAs } from '../contract/roles.ts';
import type { OperationName } from '../contract/service.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import { shellWord } from '../failure/shell-word.ts';
import { TAGS } from '../web/language.ts';
import { API_DOCS_PATH } from '../web/own-paths.ts';
import { apiFor } from './api-client.ts';
import type { FieldSchema, Kind } from './catalog.ts';
import { doOnce, onceField } from './done-once.ts';
import { editor, seenPart } from './editor.ts';
import { textsIn, valueOfText } from './field-values.ts';
import { type FormState, formFields, formProblem } from './fields.ts';
import { icon } from './icons.ts';
import { sentenceOf } from './language.ts';
import type { ConsolePageDeps, Html } from './layout.ts';
import { segmentOf } from './paths.ts';
import { answerFields, questionsAbout } from './questions.ts';
import { previewButton, SEEN } from './seen.ts';
import { withSettings } from './setting-links.ts';
import { nothingDone, success } from './sign-in-pages.ts';
import type { TextKey } from './texts/en.ts';
import { presetPart, withPreset } from './token-presets.ts';
import { goOnTelling } from './told-once.ts';
import { oneOf } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';
import { wayToList } from './way.ts';

type C = Context<ConsoleEnv>;

/** What the API answers to a new record, with its secret. */
interface Made {
  /** Absent for what takes its time: a backup. */
  readonly item?: Item;
  readonly token?: string;
  readonly link?: string;
  readonly secret?: string;
}

/** Forms for what admins create: registered users, tokens, webhooks. */
export function createRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { kindsByName, show } = deps;
  const app = new Hono<ConsoleEnv>();
  for (const kind of kindsByName.values()) {
    if (kind.create === undefined) continue;
    const { create } = kind;
    const titles = (c: C) => {
      const { translate } = c.get('visit');
      const title = translate('create.title', { kind: oneOf(translate, kind.name) });
      return { title, way: wayToList(c, kind) };
    };

    app.use(`/${kind.name}/new`, async (c, next) => {
      const { role, confirmedAt } = c.get('admin');
      if (!mayActAs(role, create.role))
        throw new Ws01Error('Forbidden', 'Your role does not allow this.');
      if (create.confirmed) assertConfirmed(confirmedAt, deps.clock());
      return next();
    });

    app.get(`/${kind.name}/new`, (c) =>
      show(c, {
        ...titles(c),
        content: createForm(c, kind, { values: {} }),
        editor: true,
      }),
    );

    app.post(`/${kind.name}/new`, async (c) => {
      const form = withPreset(c, kind.name, await c.req.parseBody({ all: true }));
      const path = `${HOME}/${kind.name}`;
      try {
        const body = bodyOf(form, create.body, c.get('visit').timeZone);
        const questions = await questionsAbout(deps, c, kind, form, '');
        if (questions !== undefined) {
          const content = createForm(c, kind, { values: form, questions });
          return show(c, { ...titles(c), content, editor: true });
        }
        const answer = async (made: Made) => {
          const own =
            made.item === undefined ? path : `${path}/${segmentOf(String(made.item[kind.key]))}`;
          const message = html`${madeMessage(c, made)}${firstCall(deps, c, made)}`;
          return (
            (await goOnTelling(deps, c, own, message)) ??
            show(c, { ...titles(c), content: message })
          );
        };
        const answered = await doOnce(deps, form, async () => {
          const made = await apiFor(deps, c).send<Made>('post', `/${kind.name}`, body);
          return { isDone: true, answer: () => answer(made) };
        });
        if (answered !== undefined) return answered;
        const told = nothingDone(c.get('visit').translate('form.twice'));
        return (await goOnTelling(deps, c, path, told))!;
      } catch (error) {
        if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
        return show(
          c,
          {
            ...titles(c),
            content: createForm(c, kind, { values: form, refusal: error }),
            editor: true,
          },
          400,
        );
      }
    });
  }
  return app;
}

/** The button to the form, for roles that may use it. */
export function createLink(c: C, { name, create }: Kind): Html | '' {
  const role = name === 'images' ? 'owner' : create?.role;
  if (role === undefined || !mayActAs(c.get('admin').role, role)) return '';
  const { translate } = c.get('visit');
  const [path, text] =
    name === 'images'
      ? (['upload', translate('picture.upload')] as const)
      : (['new', translate('create.title', { kind: oneOf(translate, name) })] as const);
  const called = html`${icon('app', path)}${text}`;
  // Where there is nothing to fill in, the button does it.
  if (create !== undefined && Object.keys(create.body).length === 0)
    return html`<form method="post" action="${HOME}/${name}/new" class="inline">
${onceField()}<button class="primary">${called}</button></form>`;
  return html`<a class="button primary" href="${HOME}/${name}/${path}">${called}</a>`;
}

function bodyOf(
  form: Record<string, unknown>,
  fields: Readonly<Record<string, FieldSchema>>,
  timeZone: string,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(fields)) {
    const { items } = schema;
    const value = form[name];
    const texts = textsIn(value);
    if (items !== undefined && (items.enum !== undefined || texts.length > 0)) body[name] = texts;
    else if (typeof value === 'string' && value !== '')
      body[name] = valueOfText(timeZone, name, schema, value);
  }
  return body;
}

function createForm(c: C, { name, create }: Kind, state: FormState): Html {
  const { translate } = c.get('visit');
  const { body, required, summary } = create!;
  const fields = Object.entries(body).map(([member, schema]) => {
    return { kind: name, name: member, schema, isRequired: required.includes(member) };
  });
  const does = translate(state.questions === undefined ? 'create.submit' : 'form.anyway');
  const form = html`<form method="post" action="${HOME}/${name}/new"
class="${name in SEEN ? 'editor' : 'narrow'}" data-kept="${translate('form.kept')}" novalidate>
${onceField()}${answerFields(state.questions)}${presetPart(c, name, state.values)}
${formFields(c, fields, state)}
<div class="tools save"><button class="primary">${does}</button>
${previewButton(c, name)}<a class="button" href="${HOME}/${name}">${translate('app.cancel')}</a></div>
</form>`;
  const aside = name in SEEN ? seenPart(c, name) : '';
  const about = sentenceOf(c.get('visit').language, summary);
  return html`${formProblem(c, Object.keys(body), state)}
${about === '' ? '' : html`<p>${withSettings(c, about)}</p>`}
${editor({ pictures: [], aside }, form)}`;
}

/**
 * What was made: what visitors see at once was published, and what takes its time has no record
 * yet: a backup.
 */
function madeText(item: Made['item']): TextKey {
  if (item === undefined) return 'create.begun';
  return item.state === 'published' ? 'create.published' : 'create.done';
}

/** The message about a new record. It shows a secret this one time. */
function madeMessage(c: C, { item, token, link, secret: signs }: Made): Html {
  const { translate } = c.get('visit');
  const secret = token ?? link ?? signs;
  const told = link === undefined ? 'create.secret' : 'create.link';
  return html`${success(translate(madeText(item)))}
${secret === undefined ? '' : secretPart(c, secret, told)}`;
}

/**
 * Calls that show at once whether a token works, and send nobody anything; the first whose scope it
 * has.
 */
const FIRST_CALLS: readonly (readonly [Scope, OperationName, string])[] = [
  ['articles', 'InsertArticle', '-d token={} -d guid=first -d caption=Hello'],
  ['adverts', 'addNewAdvert', '-d tokenId={} -d CreateUserId=u1 -d title=Hello'],
  ['images', 'InsertArticleImageFile', '-F verifyCode={} -F FileGuid=first -F FileImg=@photo.jpg'],
  ['counts', 'countUserPosted', '-d tokenId={} -d userId=u1'],
];

/** The first call of an app with its token, to paste, and where it stands in other languages. */
function firstCall({ servicePath }: ConsoleDeps, c: C, { token, item }: Made): Html | '' {
  const { translate, origin, language } = c.get('visit');
  const scopes = item?.scopes;
  if (token === undefined || !Array.isArray(scopes)) return '';
  const [, operation, fields] = FIRST_CALLS.find(([scope]) => scopes.includes(scope)) ?? [];
  if (operation === undefined && !scopes.includes('read')) return '';
  const [command, page] =
    operation === undefined
      ? [
          `-H 'Authorization: Bearer ${token}' ${shellWord(`${origin}/api/v1/articles`)}`,
          API_DOCS_PATH,
        ]
      : [
          `${fields!.replace('{}', token)} ${shellWord(`${origin}${servicePath}/${operation}`)}`,
          `${servicePath}?lang=${TAGS[language]}&op=${operation}`,
        ];
  return html`<p>${translate('create.firstCall')}</p><pre id="call" tabindex="0">curl ${command}</pre><p>
<button type="button" data-copy="call">${translate('app.copy')}</button>
<a href="${page}">${translate('create.otherLanguages')}</a></p>`;
}

/** Shows a secret once: a token or a sign-in link. */
export function secretPart(c: C, secret: string, told: TextKey): Html {
  const { translate } = c.get('visit');
  return html`<section class="secret" aria-labelledby="secret-told">
<p id="secret-told">${translate(told)}</p>
<pre id="secret" tabindex="0">${secret}</pre>
<button type="button" class="primary" data-copy="secret">
${icon('app', 'copy')}${translate('app.copy')}</button></section>`;
}
