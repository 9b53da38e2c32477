import type { Context } from 'hono';
import { html } from 'hono/html';
import { ONCE } from './done-once.ts';
import { consolePath } from './forms.ts';
import type { Html } from './layout.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Longest form that is kept over a sign-in; bytes. It comes back within a form of 16 KiB. */
const RESUMED_BYTES = 6_000;

/** A form that was sent when the session had ended. */
export interface Resume {
  readonly path: string;
  readonly fields: readonly (readonly [name: string, text: string])[];
}

/** The fields with passwords. A form that has one is not kept, however its path is written. */
const PASSWORDS: ReadonlySet<string> = new Set(['current', 'password']);
const hasPassword = (fields: Resume['fields']) => fields.some(([name]) => PASSWORDS.has(name));

/** Reads the form of a request that needs a sign-in first, so that nobody types it again after it. */
export async function formToResume(c: C): Promise<Resume | undefined> {
  const isForm =
    c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
  const bytes = Number(c.req.header('content-length') ?? Number.NaN);
  if (!isForm || !(bytes >= 0 && bytes <= RESUMED_BYTES)) return undefined;
  const fields = Object.entries(await c.req.parseBody({ all: true })).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, String(value)] as const),
  );
  return hasPassword(fields) ? undefined : { path: new URL(c.req.url).pathname, fields };
}

/** Reads what {@link resumeField} holds. It came through a browser, and is believed as little as any form. */
export function readResume(text: string): Resume | undefined {
  try {
    const { path, fields } = JSON.parse(text) as Resume;
    const isForm = fields.every(
      (field) => field.length === 2 && field.every((part) => typeof part === 'string'),
    );
    const isKept = isForm && consolePath(path) === path && !hasPassword(fields);
    return isKept ? { path, fields } : undefined;
  } catch {
    return undefined;
  }
}

/** The field of the sign-in form that holds another form. */
export const resumeField = (resume: Resume): Html =>
  html`<input type="hidden" name="resume" value="${JSON.stringify(resume)}">`;

/** Longest text of a field that is shown; UTF-16 code units. */
const SHOWN_CHARS = 100;

/**
 * A form with what was typed before; `button` sends it. It shows what it sends, since another person may
 * have left it.
 */
export function resumedForm({ path, fields }: Resume, button: string): Html {
  const shown = fields.filter(([name]) => name !== ONCE);
  const said = shown.map(([name, text]) => html`<dd><bdi>${name}: ${beginning(text)}</bdi></dd>`);
  const hidden = fields.map(
    ([name, text]) => html`<input type="hidden" name="${name}" value="${text}">`,
  );
  const sends = button && html`<button class="primary wide" autofocus>${button}</button>`;
  return html`<form method="post" action="${path}" id="resume">
<dl><dt>${path}</dt>${said}</dl>${hidden}${sends}</form>`;
}

const beginning = (text: string): string =>
  text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
