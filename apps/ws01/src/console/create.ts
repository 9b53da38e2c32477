import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { mayActAs } from '../domain/admins/roles.ts';
import { apiFor, type Item } from './api-client.ts';
import type { FieldSchema, Kind, KindsByName } from './catalog.ts';
import { errorPart } from './errors.ts';
import { hintOf, sentenceOf } from './language.ts';
import type { Html, Show } from './layout.ts';
import { segmentOf } from './paths.ts';
import { problem, success } from './sign-in-pages.ts';
import type { TextKey } from './texts/en.ts';
import { asInstant, fieldFor, marked, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

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
export function createRoutes(deps: ConsoleDeps, kindsByName: KindsByName, show: Show): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  for (const kind of kindsByName.values()) {
    if (kind.create === undefined) continue;
    const { create } = kind;
    const title = (c: C) =>
      c.get('visit').translate('create.title', { kind: wordFor(c.get('visit').translate, 'kind', kind.name) });

    app.use(`/${kind.name}/new`, async (c, next) => {
      if (mayActAs(c.get('admin').role, create.role)) return next();
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    });

    app.get(`/${kind.name}/new`, (c) => show(c, { title: title(c), content: createForm(c, kind) }));

    app.post(`/${kind.name}/new`, async (c) => {
      try {
        const body = bodyOf(await c.req.parseBody({ all: true }), create.body);
        const made = await apiFor(deps, c).send<Made>('post', `/${kind.name}`, body);
        return show(c, { title: title(c), content: madePage(c, kind, made) });
      } catch (error) {
        if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
        return show(
          c,
          {
            title: title(c),
            content: html`${problem(errorPart(c.get('visit'), error))}${createForm(c, kind)}`,
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
  if (create === undefined || !mayActAs(c.get('admin').role, create.role)) return '';
  return html`<p><a class="button primary" href="${HOME}/${name}/new">${c.get('visit').translate('create.button')}</a></p>`;
}

function bodyOf(form: Record<string, unknown>, fields: Readonly<Record<string, FieldSchema>>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(fields)) {
    const { type, items } = schema;
    const value = form[name];
    if (items?.enum !== undefined) body[name] = [value ?? []].flat();
    else if (items !== undefined) {
      const texts = String(value ?? '')
        .split(/[\s,]+/)
        .filter((text) => text !== '');
      if (texts.length > 0) body[name] = texts;
    } else if (type === 'boolean') body[name] = value === 'true';
    else if (typeof value === 'string' && value !== '') body[name] = asInstant(schema, value);
  }
  return body;
}

function createForm(c: C, { name, create }: Kind): Html {
  const { translate } = c.get('visit');
  const { body, required } = create!;
  return html`<p>${sentenceOf(c.get('visit').language, create!.summary)}</p>
<form method="post" action="${HOME}/${name}/new" class="narrow">
${Object.entries(body).map(([member, schema]) => field(c, name, member, schema, required.includes(member)))}
<div class="tools"><button class="primary">${translate('create.button')}</button><a class="button" href="${HOME}/${name}">${translate('app.cancel')}</a></div>
</form>`;
}

function field(c: C, kind: string, name: string, schema: FieldSchema, isRequired: boolean): Html {
  const { translate } = c.get('visit');
  const label = fieldFor(translate, kind, name);
  const hint = schema.description
    ? html`<p class="hint">${marked(hintOf(c.get('visit').language, schema.description))}</p>`
    : '';
  const words = (schema.items ?? schema).enum?.filter((word) => word !== null);
  if (schema.items !== undefined && words !== undefined) {
    return html`<fieldset><legend>${label}</legend>${words.map(
      (word) => html`<label class="choice"><input type="checkbox" name="${name}" value="${word}"> ${word}</label>`,
    )}${hint}</fieldset>`;
  }
  if (words !== undefined || schema.type === 'boolean') {
    const choices = words ?? ['false', 'true'];
    const spoken = (word: string) =>
      words === undefined ? translate(word === 'true' ? 'app.yes' : 'app.no') : wordFor(translate, 'value', word);
    return html`<label for="n-${name}">${label}</label><select id="n-${name}" name="${name}">${choices.map((word) => html`<option value="${word}">${spoken(word)}</option>`)}</select>${hint}`;
  }
  return html`<label for="n-${name}">${label}</label><input id="n-${name}" name="${name}"${schema.format === 'date-time' ? raw(' type="date"') : ''} maxlength="${schema.maxLength ?? 400}" spellcheck="false"${isRequired ? raw(' required') : ''}>${hint}`;
}

/** The page of a new record. It shows a secret this one time. */
function madePage(c: C, kind: Kind, { item, token, link, secret: signs }: Made): Html {
  const { translate } = c.get('visit');
  const path = item === undefined ? kind.name : `${kind.name}/${segmentOf(String(item[kind.key]))}`;
  const secret = token ?? link ?? signs;
  return html`${success(translate(item === undefined ? 'create.begun' : 'create.done'))}
${secret === undefined ? '' : secretPart(c, secret, link === undefined ? 'create.secret' : 'create.link')}
<p><a href="${HOME}/${path}">${translate('list.open')}</a></p>`;
}

/** Shows a secret once: a token or a sign-in link. */
export function secretPart(c: C, secret: string, told: TextKey): Html {
  const { translate } = c.get('visit');
  return html`<p>${translate(told)}</p><pre id="secret" tabindex="0">${secret}</pre><p><button type="button" data-copy="secret">${translate('app.copy')}</button></p>`;
}
