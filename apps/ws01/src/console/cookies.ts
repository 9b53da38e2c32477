import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { SESSION_COOKIES, SESSION_MS } from '../domain/admins/sessions.ts';
import type { Language } from '../web/language.ts';
import { isTimeZone } from './days.ts';
import { CHOICES, type Choice, type Choices, type ConsoleEnv, HOME } from './visit.ts';

const LANGUAGE = 'ws01-language';

type C = Context<ConsoleEnv>;

export function sessionCookie(c: C, secure: boolean): string | undefined {
  return getCookie(c, secure ? SESSION_COOKIES.secure : SESSION_COOKIES.plain);
}

/** Sets the cookie of a new session. */
export function putSessionCookie(c: C, secret: string): void {
  writeSessionCookie(c, secret, SESSION_MS.whole / 1000);
}

/** Deletes the cookie. */
export function dropSessionCookie(c: C): void {
  writeSessionCookie(c, '', 0);
}

function writeSessionCookie(c: C, secret: string, maxAge: number): void {
  const { secure } = c.get('visit');
  const name = secure ? SESSION_COOKIES.secure : SESSION_COOKIES.plain;
  setCookie(c, name, secret, { path: '/', httpOnly: true, secure, sameSite: 'Lax', maxAge });
}

export function languageCookie(c: C): string | undefined {
  return getCookie(c, LANGUAGE);
}

/** What a person chose. */
export function choicesOf(c: C): Choices {
  const chosen = (Object.keys(CHOICES) as Choice[]).map((name) => {
    const values: readonly string[] = CHOICES[name];
    return [name, values.find((value) => value === getCookie(c, `ws01-${name}`)) ?? values[0]];
  });
  return Object.fromEntries(chosen);
}

/** The browser's time zone, as the script of a page told it. */
export function zoneCookie(c: C): string | undefined {
  const zone = getCookie(c, 'ws01-zone');
  return zone !== undefined && isTimeZone(zone) ? zone : undefined;
}

/** Whether the script of a page told that the screen is narrow. */
export const isNarrow = (c: C): boolean => getCookie(c, 'ws01-narrow') === '1';

export const putLanguageCookie = (c: C, language: Language): void =>
  putCookie(c, LANGUAGE, language);

/** Keeps what a person chose; a value that there is none of counts as the first. */
export const putChoice = (c: C, name: Choice, value: string): void =>
  putCookie(c, `ws01-${name}`, value);

/** To whom the last test mail of this browser went. */
export const trialCookie = (c: C): string => getCookie(c, 'ws01-trial') ?? '';
export const putTrialCookie = (c: C, to: string): void => putCookie(c, 'ws01-trial', to);

function putCookie(c: C, name: string, value: string): void {
  setCookie(c, name, value, {
    path: HOME,
    httpOnly: true,
    secure: c.get('visit').secure,
    sameSite: 'Lax',
    maxAge: 31_536_000,
  });
}
