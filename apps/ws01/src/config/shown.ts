import { type Environment, settingText } from './environment.ts';
import type { Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** A setting with its secrets masked. */
export interface ShownSetting {
  /** The environment variable. */
  readonly variable: string;
  /**
   * The value; `null` for none. A secret shows only that it is set; a URL with a secret shows
   * scheme and host.
   */
  readonly value: string | null;
  /** Whether the environment sets it; otherwise `value` is the default. */
  readonly isSet: boolean;
  /** The default. */
  readonly default: string;
  readonly documentation: string;
}

/** Every setting of an environment, with secrets masked, in the order of the documentation. */
export function settingsShown(environment: Environment): readonly ShownSetting[] {
  return Object.values<Setting>(SETTINGS).map(
    ({ variable, secret, fallback, without, documentation }) => {
      const given = settingText(environment, variable, secret !== undefined);
      const value = given ?? fallback ?? null;
      return {
        variable,
        value: value === null ? null : shownValue(value, secret),
        isSet: given !== undefined,
        default: fallback ?? without ?? 'none',
        documentation,
      };
    },
  );
}

/** A value without what is secret of it. */
export function shownValue(text: string, secret: 'whole' | 'url' | undefined): string {
  if (secret === undefined) return text;
  const shown = secret === 'url' ? redactUrl(text) : '';
  return shown === '' ? '(set, not shown)' : `${shown}/…`;
}

/**
 * The part of a URL that can be shown: scheme and host. User, password, path and query may hold
 * secrets; a text that is not a URL is hidden completely.
 */
export function redactUrl(text: string): string {
  const url = URL.parse(text);
  return url?.host ? `${url.protocol}//${url.host}` : '';
}
