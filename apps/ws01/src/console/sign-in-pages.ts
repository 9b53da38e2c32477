import { html, raw } from 'hono/html';
import type { Admin } from '../domain/admins/admins.ts';
import { PASSWORD_CHARS } from '../domain/admins/passwords.ts';
import { icon } from './icons.ts';
import { type Content, type Html, plainPage } from './layout.ts';
import { type Resume, resumedForm, resumeField } from './resume.ts';
import { HOME, type Visit } from './visit.ts';

/** The sign-in page. */
export function signInPage(
  visit: Visit,
  state: {
    readonly next: string;
    readonly name?: string | undefined;
    readonly problem?: string;
    /** Whether somebody is signed in who shall show again who they are. */
    readonly isAgain?: boolean;
    /** What was being sent when the session ended. */
    readonly resume?: Resume | undefined;
    /** The fields that were sent empty. */
    readonly empty?: readonly ('name' | 'password')[];
  },
): Html {
  const { translate } = visit;
  const wrong = (id: 'name' | 'password') =>
    wrongAt(id, state.empty?.includes(id) ? translate('form.empty') : undefined);
  const name = wrong('name');
  return plainPage(visit, {
    title: translate('signIn.title'),
    content: html`${problem(state.problem)}${state.isAgain || state.resume ? html`<p class="notice" role="status">${againText(visit, state)}</p>` : ''}${state.resume === undefined ? '' : resumedForm(state.resume, '')}
<p><button type="button" class="primary wide" data-passkey="sign-in" data-next="${state.next}">${translate('signIn.passkey')}</button></p>
<p class="or">${translate('signIn.or')}</p>
<form method="post" action="${HOME}/sign-in" novalidate>
<input type="hidden" name="next" value="${state.next}">${state.resume === undefined ? '' : resumeField(state.resume)}
<label for="name">${translate('signIn.name')}</label>
<input id="name" name="name" autocomplete="username" value="${state.name ?? ''}" required maxlength="64" spellcheck="false" autocapitalize="none"${name.tied}>${name.below}
${passwordField('password', translate('signIn.password'), false, wrong('password'))}
<button class="wide">${translate('signIn.submit')}</button>
</form>
<p class="hint">${translate('signIn.lost', { command: visit.command })}</p>`,
  });
}

/** Why somebody is to sign in who has done so. */
function againText(
  { translate }: Visit,
  { isAgain, resume }: { readonly isAgain?: boolean; readonly resume?: Resume | undefined },
): string {
  if (isAgain !== true) return translate('signIn.resume');
  const again = translate('signIn.again');
  return resume === undefined ? again : `${again} ${translate('signIn.kept')}`;
}

/** The page after a sign-in that goes on with a form. It is sent by a person: another site may have made it. */
export function resumePage(visit: Visit, resume: Resume): Html {
  const { translate } = visit;
  return plainPage(visit, {
    title: translate('signIn.resumed'),
    content: html`${resumedForm(resume, translate('signIn.goOn'))}<p><a href="${HOME}">${translate('app.cancel')}</a></p>`,
  });
}

/** The sign-in page while there is no admin who could sign in. */
export function noAdminPage(visit: Visit): Html {
  const { translate } = visit;
  return plainPage(visit, {
    title: translate('signIn.title'),
    content: html`<p>${translate('signIn.nobody')}</p>
<pre>${visit.command} admin add NAME --role owner</pre>
<p>${translate('signIn.nobody.then')}</p>`,
  });
}

export function insecurePage(visit: Visit): Html {
  const { translate, origin } = visit;
  const url = URL.parse(origin);
  const [host, port] = [url?.hostname || 'HOST', url?.port || '80'];
  return plainPage(visit, {
    title: translate('signIn.insecure'),
    content: html`<p>${translate('signIn.insecure.why')}</p>
<pre>ssh -L 8080:localhost:${port} ${host}
http://localhost:8080${HOME}</pre>`,
  });
}

export function setUpPage(visit: Visit, admin: Admin, secret: string, wrong?: string): Html {
  const { translate } = visit;
  return plainPage(visit, {
    title: translate('setUp.title', { name: admin.name }),
    content: html`<p>${translate('setUp.intro')}</p>
<h2>${translate('setUp.passkey')}</h2>
<p>${translate('setUp.passkey.why')}</p>
<p><button type="button" class="primary wide" data-passkey="set-up" data-secret="${secret}">${translate('setUp.passkey')}</button></p>
<p class="or">${translate('signIn.or')}</p>
<h2>${translate('setUp.password')}</h2>
<form method="post" action="${HOME}/set-up/${secret}" novalidate>
<input name="name" value="${admin.name}" autocomplete="username" hidden readonly>
${passwordField('password', translate('signIn.password'), true, wrongAt('password', wrong, 'rule'))}
<p class="hint" id="rule">${translate('setUp.password.rule', { least: PASSWORD_CHARS.least })}</p>
<button class="wide">${translate('setUp.submit')}</button>
</form>`,
  });
}

/** Why a link to set up a way in does nothing, and how to get another. */
export const linkGone = ({ translate, command }: Visit): string =>
  translate('setUp.gone.why', { command });

export function linkGonePage(visit: Visit): Html {
  const { translate } = visit;
  return plainPage(visit, {
    title: translate('setUp.gone'),
    content: html`<p>${linkGone(visit)}</p>`,
  });
}

/** What is wrong with a field: a line below it, and what ties the field to that, which has the focus. */
export function wrongAt(
  id: string,
  why: Content | undefined,
  hint?: string,
): { readonly below: Html | ''; readonly tied: Html } {
  const told = `${id}-problem`;
  const described = [...(why === undefined ? [] : [told]), hint ?? []].flat().join(' ');
  return {
    below: why === undefined ? '' : html`<p class="problem" id="${told}">${why}</p>`,
    tied: html`${described === '' ? '' : html` aria-describedby="${described}"`}${
      why === undefined ? '' : raw(' aria-invalid="true" autofocus')
    }`,
  };
}

/** A field for a password, with what is wrong with it. */
export function passwordField(
  id: 'password' | 'current',
  label: string,
  isNew: boolean,
  { below, tied }: ReturnType<typeof wrongAt>,
): Html {
  return html`<label for="${id}">${label}</label>
<input id="${id}" name="${id}" type="password" autocomplete="${isNew ? 'new' : 'current'}-password" required maxlength="256"${tied}>${below}`;
}

/** Shows an error, if there is one. */
export function problem(text: Content | undefined): Html | '' {
  return text === undefined
    ? ''
    : html`<p class="problem" role="alert">${icon('app', 'problem')}${text}</p>`;
}

/** Shows that nothing was done, which is no fault. It has the focus, too. */
export function nothingDone(text: Content): Html {
  return html`<p class="notice" role="status" tabindex="-1" autofocus>${text}</p>`;
}

/** Shows that something was done. It has the focus: it is read out, and the keyboard goes on from it. */
export function success(text: Content): Html {
  return html`<p class="done" role="status" tabindex="-1" autofocus>${icon('app', 'done')}${text}</p>`;
}
