import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { SESSION_COOKIES, SESSION_MS } from '../domain/admins/sessions.ts';
import type { Language } from '../web/language.ts';
import { isTimeZone } from './days.ts';
import { type ConsoleEnv, DENSITIES, type Density, HOME, THEMES, type Theme } from './visit.ts';

const LANGUAGE = 'ws01-language';
const THEME = 'ws01-theme';
const DENSITY = 'ws01-density';

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

/** The theme that a person chose. */
export function themeCookie(c: C): Theme {
  return THEMES.find((theme) => theme === getCookie(c, THEME)) ?? 'auto';
}

/** The density that a person chose. */
export function densityCookie(c: C): Density {
  return DENSITIES.find((density) => density === getCookie(c, DENSITY)) ?? 'wide';
}

/** The browser's time zone, as the script of a page told it. */
export function zoneCookie(c: C): string | undefined {
  const zone = getCookie(c, 'ws01-zone');
  return zone !== undefined && isTimeZone(zone) ? zone : undefined;
}

export const putLanguageCookie = (c: C, language: Language): void =>
  putChoice(c, LANGUAGE, language);

export const putDensityCookie = (c: C, density: string): void => putChoice(c, DENSITY, density);

export const putThemeCookie = (c: C, theme: string): void => putChoice(c, THEME, theme);

function putChoice(c: C, name: string, value: string): void {
  setCookie(c, name, value, {
    path: HOME,
    httpOnly: true,
    secure: c.get('visit').secure,
    sameSite: 'Lax',
    maxAge: 31_536_000,
  });
}
