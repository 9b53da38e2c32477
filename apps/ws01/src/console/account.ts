import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { findAdminByName } from '../domain/admins/admins.ts';
import { checkPassword, matchesPassword, PASSWORD_CHARS } from '../domain/admins/passwords.ts';
import {
  assertConfirmed,
  endAllSessions,
  endSessionById,
  findSession,
  isConfirmedAt,
  sessionsOf,
} from '../domain/admins/sessions.ts';
import {
  addSignInMethod,
  passkeysOf,
  passwordMethod,
  removePasskey,
} from '../domain/admins/sign-in-methods.ts';
import { hidden } from './act-form.ts';
import { dropSessionCookie, sessionCookie } from './cookies.ts';
import { errorText } from './errors.ts';
import { formText, jsonBody } from './forms.ts';
import { failed, slowed } from './guesses.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { ago, type ConsolePageDeps, type Html, time } from './layout.ts';
import { creationOptions, verifiedPasskey } from './passkeys.ts';
import { passwordField, success, wrongAt } from './sign-in-pages.ts';
import { dataTable } from './tables.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Pages where admins change their own account. */
export function accountRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { store, clock, show } = deps;
  const app = new Hono<ConsoleEnv>();
  const shown = async (c: C, state: AccountState = {}) => {
    const content = await accountPage(deps, c, state);
    return show(
      c,
      { title: c.get('visit').translate('account.title'), content },
      state.wrong === undefined ? 200 : 400,
    );
  };

  const confirmed = (c: C) => assertConfirmed(c.get('admin').confirmedAt, clock());

  app.get('/', (c) => shown(c));

  app.get('/again', (c) => {
    confirmed(c);
    return c.redirect(`${HOME}/account`, 303);
  });

  app.post('/password', async (c) => {
    const [visit, admin] = [c.get('visit'), c.get('admin')];
    const password = await formText(c, 'password');
    await slowed(deps, c, admin.name);
    const row = await findAdminByName(store, admin.name);
    if (row?.password == null) confirmed(c);
    else if (!(await matchesPassword(await formText(c, 'current'), row.password, visit.address))) {
      await failed(deps, c);
      return shown(c, { wrong: { current: visit.translate('signIn.wrongPassword') } });
    }
    try {
      checkPassword(password, admin.name);
    } catch (error) {
      if (!(error instanceof Ws01Error)) throw error;
      return shown(c, { wrong: { password: errorText(c.get('visit'), error) } });
    }
    await addSignInMethod(store, admin, await passwordMethod(password), clock, from(c));
    return shown(c, { done: true });
  });

  app.post('/passkey/options', async (c) => {
    confirmed(c);
    return c.json(await creationOptions(deps, c.get('visit'), c.get('admin')));
  });

  app.post('/passkey', async (c) => {
    const visit = c.get('visit');
    const { response } = await jsonBody<{ response: Parameters<typeof verifiedPasskey>[2] }>(c);
    confirmed(c);
    const passkey = await verifiedPasskey(deps, visit, response);
    if (passkey === undefined) return c.json({ problem: visit.translate('signIn.wrong') }, 403);
    await addSignInMethod(store, c.get('admin'), { passkey }, clock, from(c));
    return c.json({}, 200, { Location: `${HOME}/account` });
  });

  for (const [path, remove] of [
    ['/passkey/remove', removePasskey],
    ['/session/end', endSessionById],
  ] as const) {
    app.post(path, async (c) => {
      confirmed(c);
      const id = await formText(c, 'id');
      await remove(store, c.get('admin'), id, clock, c.get('visit').address);
      return c.redirect(`${HOME}/account`, 303);
    });
  }

  app.post('/sign-out-everywhere', async (c) => {
    confirmed(c);
    const admin = c.get('admin');
    const actor = { name: admin.name, address: c.get('visit').address };
    await store.write((tx) => endAllSessions(tx, admin, clock(), actor));
    dropSessionCookie(c);
    return c.redirect(`${HOME}/sign-in`, 303);
  });
  return app;
}

/** What the page of an account says: what is wrong with the fields of its password, or that it was changed. */
interface AccountState {
  readonly wrong?: Partial<Record<'current' | 'password', string>>;
  readonly done?: boolean;
}

async function accountPage(
  { store, clock }: ConsoleDeps,
  c: C,
  state: AccountState,
): Promise<Html> {
  const { translate } = c.get('visit');
  const admin = c.get('admin');
  const [own, sessions, passkeys, row] = await Promise.all([
    findSession(store, sessionCookie(c, c.get('visit').secure)!, clock),
    sessionsOf(store, admin),
    passkeysOf(store, admin),
    findAdminByName(store, admin.name),
  ]);
  const hasPassword = row?.password != null;
  const isConfirmed = isConfirmedAt(admin.confirmedAt, clock());
  const add = html`<button type="button" data-passkey="add">${translate('account.addPasskey')}</button>`;
  const { current, password } = state.wrong ?? {};
  const wrong = {
    current: wrongAt('current', current),
    chosen: wrongAt('password', password, 'rule'),
  };
  const present = passwordField(
    'current',
    translate('account.password.current'),
    false,
    wrong.current,
  );
  const chosen = passwordField('password', translate('account.password.new'), true, wrong.chosen);
  const role = html`<span class="tag">${translate(`role.${admin.role}`)}</span>`;
  const again = html`<a class="button" href="${HOME}/account/again">${translate('account.again')}</a>`;
  return html`${state.done ? success(translate('account.saved')) : ''}
<p>${labelled(translate, translate('account.role'), role)}</p>
<form method="post" action="${HOME}/sign-out"><button>${translate('account.signOut')}</button></form>
<section aria-labelledby="sessions"><h2 id="sessions">${translate('account.sessions')}</h2>
${dataTable(
  translate('account.sessions'),
  [
    ...(['account.browser', 'account.address', 'account.since', 'account.seen'] as const).map(
      (key) => translate(key),
    ),
    '',
  ],
  sessions.map(({ id, agent, address, createdAt, seenAt }) => [
    ...[browserOf(agent), address, time(createdAt), ago(seenAt)],
    id === own?.hash.toString('hex')
      ? translate('account.thisOne')
      : endButton(translate, id, `${browserOf(agent)}, ${address}`),
  ]),
)}
<form method="post" action="${HOME}/account/sign-out-everywhere">
<button class="danger">${translate('account.everywhere')}</button></form>
</section>
<section aria-labelledby="passkeys"><h2 id="passkeys">${translate('account.passkeys')}</h2>
${
  passkeys.length === 0
    ? html`<p>${translate('account.passkeys.none')}</p>`
    : dataTable(
        translate('account.passkeys'),
        [translate('account.created'), translate('account.used'), ''],
        passkeys.map(({ id, created_at, used_at }) => [
          time(Number(created_at)),
          time(used_at === null ? null : Number(used_at)),
          html`<form method="post" action="${HOME}/account/passkey/remove">
${hidden('id', id)}<button>${translate('account.remove')}</button></form>`,
        ]),
      )
}
<p>${isConfirmed ? add : again}</p>
</section>
<section aria-labelledby="password-title"><h2 id="password-title">${translate('account.password')}</h2>
<p>${translate(hasPassword ? 'account.password.set' : 'account.password.unset')}</p>
${
  hasPassword || isConfirmed
    ? html`<form method="post" action="${HOME}/account/password" class="narrow" novalidate>
<input name="name" value="${admin.name}" autocomplete="username" hidden readonly>
${hasPassword ? present : ''}
${chosen}
<p class="hint" id="rule">${translate('setUp.password.rule', { least: PASSWORD_CHARS.least })}</p>
<button>${translate('account.password.save')}</button>
</form>`
    : html`<p>${again}</p>`
}</section>`;
}

/** Who sets a password: from where, and by which session. */
const from = (c: C) => ({
  address: c.get('visit').address,
  session: sessionCookie(c, c.get('visit').secure)!,
});

/** Android also calls itself Linux, and an iPhone is like Mac OS X. */
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux'] as const;

/** Browsers that name themselves otherwise than people do. */
const BROWSERS: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };

/** Returns the names of a browser and its system, from the `User-Agent` header. */
export function browserOf(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(agent);
  const system = SYSTEMS.find((one) => agent.includes(one));
  if (browser === null) return agent.slice(0, 40);
  const [, short = '', version] = browser;
  return `${BROWSERS[short] ?? short} ${version}${system === undefined ? '' : `, ${system}`}`;
}

/** The button that ends a session of the account; who hears it hears which. */
function endButton(translate: Translate, id: string, session: string): Html {
  const does = translate('account.signOut');
  const name = labelled(translate, does, session);
  return html`<form method="post" action="${HOME}/account/session/end">
${hidden('id', id)}<button aria-label="${name}">${does}</button></form>`;
}
