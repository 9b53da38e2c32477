import { type Context, Hono } from 'hono';
import { Ws01Error } from '../contract/errors.ts';
import { adminOfLink, hasAdmins } from '../domain/admins/admins.ts';
import { checkPassword } from '../domain/admins/passwords.ts';
import { adminOfSession, endSession } from '../domain/admins/sessions.ts';
import {
  passwordMethod,
  type SignInMethod,
  setUp,
  signInByPasskey,
  signInByPassword,
} from '../domain/admins/sign-in-methods.ts';
import { RETRY_AFTER_S, retryHeader } from '../failure/answer-headers.ts';
import { dropSessionCookie, putSessionCookie, sessionCookie } from './cookies.ts';
import { errorText } from './errors.ts';
import { consolePath, formText, jsonBody } from './forms.ts';
import { failed, slowed } from './guesses.ts';
import { creationOptions, signInOptions, verifiedPasskey, verifiedSignIn } from './passkeys.ts';
import { readResume } from './resume.ts';
import {
  linkGone,
  linkGonePage,
  noAdminPage,
  resumePage,
  setUpPage,
  signInPage,
} from './sign-in-pages.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Pages to sign in and out, and to set up a password or passkey by a link. */
export function signInRoutes(deps: ConsoleDeps): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  addPasswordRoutes(app, deps);
  addPasskeyRoutes(app, deps);
  addSetUpRoutes(app, deps);
  app.post('/sign-out', async (c) => {
    await endPresentSession(deps, c);
    dropSessionCookie(c);
    return c.redirect(`${HOME}/sign-in`, 303);
  });
  return app;
}

function addPasswordRoutes(app: Hono<ConsoleEnv>, deps: ConsoleDeps): void {
  const { store, clock } = deps;

  app.get('/sign-in', async (c) => {
    const visit = c.get('visit');
    if (!(await hasAdmins(store))) return c.html(noAdminPage(visit));
    return c.html(signInPage(visit, { next: consolePath(c.req.query('next')) }));
  });

  app.post('/sign-in', async (c) => {
    const visit = c.get('visit');
    const [name, next] = [await formText(c, 'name'), consolePath(await formText(c, 'next'))];
    const resume = readResume(await formText(c, 'resume'));
    const isAgain = (await presentSession(deps, c)) !== undefined;
    const shown = { next, name, resume, isAgain };
    const password = await formText(c, 'password');
    const given = { name: name.trim(), password };
    const empty = (['name', 'password'] as const).filter((field) => given[field] === '');
    if (empty.length > 0) return c.html(signInPage(visit, { ...shown, empty }), 400);
    try {
      await slowed(deps, c, name ?? '');
      const session = await signInByPassword(store, { name, password }, clock, visit);
      if (session !== undefined && resume === undefined) return enter(deps, c, session, next);
      if (session !== undefined) {
        await replaceSession(deps, c, session);
        return c.html(resumePage(visit, resume!));
      }
      await failed(deps, c);
      return c.html(signInPage(visit, { ...shown, problem: visit.translate('signIn.wrong') }), 403);
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code !== 'RateLimited') throw error;
      const page = signInPage(visit, { ...shown, problem: errorText(visit, error) });
      return c.html(page, 429, retryHeader(429, error.retryAfter ?? RETRY_AFTER_S));
    }
  });
}

function addPasskeyRoutes(app: Hono<ConsoleEnv>, deps: ConsoleDeps): void {
  const { store, clock } = deps;

  app.post('/passkey/options', async (c) => c.json(await signInOptions(deps, c.get('visit'))));

  app.post('/passkey', async (c) => {
    const visit = c.get('visit');
    const { response, next } = await jsonBody<{
      response: Parameters<typeof verifiedSignIn>[2];
      next?: string;
    }>(c);
    const passkey = await verifiedSignIn(deps, visit, response);
    const session =
      passkey && (await signInByPasskey(store, passkey.id, passkey.counter, clock, visit));
    if (session === undefined) {
      await failed(deps, c);
      return c.json({ problem: visit.translate('signIn.wrong') }, 403);
    }
    await replaceSession(deps, c, session);
    return c.json({}, 200, { Location: consolePath(next) });
  });
}

function addSetUpRoutes(app: Hono<ConsoleEnv>, deps: ConsoleDeps): void {
  const { store, clock } = deps;

  app.get('/set-up/:secret', async (c) => {
    const visit = c.get('visit');
    const admin = await adminOfLink(store, c.req.param('secret'), clock());
    return admin === undefined
      ? c.html(linkGonePage(visit), 404)
      : c.html(setUpPage(visit, admin, c.req.param('secret')));
  });

  /** Sets up an account with the password or passkey that `wayOf` reads from the request. */
  const setUpWith = async (
    c: C,
    secret: string,
    wayOf: () => Promise<SignInMethod | undefined>,
  ) => {
    const way = await wayOf();
    return way && setUp(store, secret, way, clock, c.get('visit'));
  };

  app.post('/set-up/:secret', async (c) => {
    const visit = c.get('visit');
    const secret = c.req.param('secret');
    const admin = await adminOfLink(store, secret, clock());
    if (admin === undefined) return c.html(linkGonePage(visit), 404);
    const password = await formText(c, 'password');
    try {
      checkPassword(password, admin.name);
    } catch (error) {
      if (!(error instanceof Ws01Error)) throw error;
      return c.html(setUpPage(visit, admin, secret, errorText(visit, error)), 400);
    }
    const session = await setUpWith(c, secret, () => passwordMethod(password));
    return session === undefined ? c.html(linkGonePage(visit), 404) : enter(deps, c, session, HOME);
  });

  app.post('/set-up/:secret/passkey/options', async (c) => {
    const admin = await adminOfLink(store, c.req.param('secret'), clock());
    if (admin === undefined) return c.json({ problem: linkGone(c.get('visit')) }, 404);
    return c.json(await creationOptions(deps, c.get('visit'), admin));
  });

  app.post('/set-up/:secret/passkey', async (c) => {
    const visit = c.get('visit');
    // Before the answer is looked at: an answer to a challenge writes, and anybody can make one that is right.
    if ((await adminOfLink(store, c.req.param('secret'), clock())) === undefined) {
      return c.json({ problem: linkGone(visit) }, 403);
    }
    const { response } = await jsonBody<{ response: Parameters<typeof verifiedPasskey>[2] }>(c);
    const session = await setUpWith(c, c.req.param('secret'), async () => {
      const passkey = await verifiedPasskey(deps, visit, response);
      return passkey && { passkey };
    });
    if (session === undefined) return c.json({ problem: linkGone(visit) }, 403);
    await replaceSession(deps, c, session);
    return c.json({}, 200, { Location: HOME });
  });
}

async function enter(deps: ConsoleDeps, c: C, session: string, next: string): Promise<Response> {
  await replaceSession(deps, c, session);
  return c.redirect(next, 303);
}

/** Gives the browser a new session; the one that it had ends. */
async function replaceSession(deps: ConsoleDeps, c: C, session: string): Promise<void> {
  await endPresentSession(deps, c);
  putSessionCookie(c, session);
}

/** The session that a request came with; `undefined` without one. */
async function presentSession({ store, clock }: ConsoleDeps, c: C) {
  const secret = sessionCookie(c, c.get('visit').secure);
  const admin = secret === undefined ? undefined : await adminOfSession(store, secret, clock);
  return admin && { admin, secret: secret! };
}

/** Ends the session that a request came with, if there is one. */
async function endPresentSession(deps: ConsoleDeps, c: C): Promise<void> {
  const present = await presentSession(deps, c);
  if (present === undefined) return;
  await endSession(deps.store, present.admin, present.secret, deps.clock, c.get('visit').address);
}
