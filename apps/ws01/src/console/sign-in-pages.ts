import { html } from 'hono/html';
import type { Admin } from '../domain/admins/admins.ts';
import { PASSWORD_CHARS } from '../domain/admins/passwords.ts';
import { type Html, plainPage } from './layout.ts';
import { HOME, type Visit } from './visit.ts';

/** The sign-in page. */
export function signInPage(
  visit: Visit,
  state: { readonly next: string; readonly name?: string; readonly problem?: string },
): Html {
  const { say } = visit;
  return plainPage(visit, {
    title: say('signIn.title'),
    content: html`${problem(state.problem)}
<p><button type="button" class="primary wide" data-passkey="sign-in" data-next="${state.next}">${say('signIn.passkey')}</button></p>
<p class="or">${say('signIn.or')}</p>
<form method="post" action="${HOME}/sign-in">
<input type="hidden" name="next" value="${state.next}">
<label for="name">${say('signIn.name')}</label>
<input id="name" name="name" autocomplete="username" value="${state.name ?? ''}" required maxlength="64" spellcheck="false" autocapitalize="none">
<label for="password">${say('signIn.password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="256">
<button class="wide">${say('signIn.submit')}</button>
</form>
<p class="hint">${say('signIn.lost')}</p>`,
  });
}

/** The sign-in page while there is no admin who could sign in. */
export function nobodyPage(visit: Visit): Html {
  const { say } = visit;
  return plainPage(visit, {
    title: say('signIn.title'),
    content: html`<p>${say('signIn.nobody')}</p>
<pre>ws01 admin add NAME --role owner</pre>
<p>${say('signIn.nobody.then')}</p>`,
  });
}

export function insecurePage(visit: Visit): Html {
  const { say, origin } = visit;
  const url = URL.parse(origin);
  const [host, port] = [url?.hostname || 'HOST', url?.port || '80'];
  return plainPage(visit, {
    title: say('signIn.insecure'),
    content: html`<p>${say('signIn.insecure.why')}</p>
<pre>ssh -L 8080:localhost:${port} ${host}
http://localhost:8080${HOME}</pre>`,
  });
}

export function setUpPage(visit: Visit, admin: Admin, secret: string, wrong?: string): Html {
  const { say } = visit;
  return plainPage(visit, {
    title: say('setUp.title', { name: admin.name }),
    content: html`${problem(wrong)}<p>${say('setUp.intro')}</p>
<h2>${say('setUp.passkey')}</h2>
<p>${say('setUp.passkey.why')}</p>
<p><button type="button" class="primary wide" data-passkey="set-up" data-secret="${secret}">${say('setUp.passkey')}</button></p>
<p class="or">${say('signIn.or')}</p>
<h2>${say('setUp.password')}</h2>
<form method="post" action="${HOME}/set-up/${secret}">
<input name="name" value="${admin.name}" autocomplete="username" hidden readonly>
<label for="password">${say('signIn.password')}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required maxlength="256" aria-describedby="rule">
<p class="hint" id="rule">${say('setUp.password.rule', { least: PASSWORD_CHARS.least })}</p>
<button class="wide">${say('setUp.submit')}</button>
</form>`,
  });
}

export function linkGonePage(visit: Visit): Html {
  const { say } = visit;
  return plainPage(visit, { title: say('setUp.gone'), content: html`<p>${say('setUp.gone.why')}</p>` });
}

/** Shows an error, if there is one. */
export function problem(text: string | undefined): Html | '' {
  return text === undefined ? '' : html`<p class="problem" role="alert">${text}</p>`;
}
