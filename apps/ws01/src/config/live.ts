import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import type { Setting } from './setting.ts';
import { SETTINGS, type Settings } from './settings.ts';
import { type ShownSetting, shownValue } from './shown.ts';

/** A setting that was changed while the service runs. */
export interface ChangedSetting {
  readonly variable: string;
  /** In the form of the environment variable. */
  readonly value: string;
}

/** The settings that may change while the service runs, by variable. */
const CHANGEABLE: ReadonlyMap<string, keyof Settings> = new Map(
  Object.entries<Setting>(SETTINGS)
    .filter(([, { changes }]) => changes === true)
    .map(([property, { variable }]) => [variable, property as keyof Settings]),
);

/** Whether a setting may change while the service runs, unless the environment fixes it. */
export const mayChange = (variable: string): boolean => CHANGEABLE.has(variable);

const settingOf = (variable: string): Setting | undefined => {
  const property = CHANGEABLE.get(variable);
  return property && SETTINGS[property];
};

/** Whether the value of a setting that may change is never shown whole. */
export const isSecret = (variable: string): boolean => settingOf(variable)?.secret !== undefined;

/** The value of a setting that may change, without what is secret of it. */
export const maskedValue = (variable: string, text: string): string =>
  shownValue(text, settingOf(variable)?.secret);

/**
 * Checks a value for a setting.
 * @throws {ConfigError} which says what it must be.
 */
export function assertSettingValue(variable: string, text: string): void {
  const { form } = settingOf(variable)!;
  if (text.trim() === '' || form.read(text) === undefined)
    throw new ConfigError(`${variable} must be ${form.expects}.`);
}

/**
 * The settings of a service while it runs: what the environment says, else what was changed since.
 * Code that holds {@link config} and reads a member when it needs it follows the changes.
 */
export class LiveSettings {
  readonly config: Config;
  readonly #shown: readonly ShownSetting[];
  /** What was changed: the text, and the value that it stands for. */
  #changed: ReadonlyMap<string, { readonly text: string; readonly value: unknown }> = new Map();

  /** @param shown the settings as the environment has them. */
  constructor(base: Config, shown: readonly ShownSetting[]) {
    this.#shown = shown;
    const live = Object.create(null) as Record<string, PropertyDescriptor>;
    for (const [variable, property] of CHANGEABLE) {
      const own = base[property as keyof Config];
      const get = () => {
        const changed = this.#changed.get(variable);
        return changed === undefined ? own : changed.value;
      };
      live[property] = { get, enumerable: true };
    }
    this.config = Object.freeze(Object.defineProperties({ ...base }, live));
  }

  /**
   * Takes what is stored. A value has no effect if the environment fixes the setting, or if this
   * release does not know it.
   */
  take(stored: readonly ChangedSetting[]): void {
    const changed = new Map<string, { text: string; value: unknown }>();
    for (const { variable, value: text } of stored) {
      const property = CHANGEABLE.get(variable);
      if (property === undefined || this.isFixed(variable)) continue;
      const value = (SETTINGS[property] as Setting).form.read(text);
      if (value !== undefined) changed.set(variable, { text, value });
    }
    this.#changed = changed;
  }

  /** Whether the environment says what a setting is. */
  isFixed(variable: string): boolean {
    return this.#shown.some((one) => one.variable === variable && one.isSet);
  }

  /** Every setting as it holds now, with secrets masked. */
  shown(): readonly ShownSetting[] {
    return this.#shown.map((one) => {
      const changed = this.#changed.get(one.variable);
      return changed === undefined
        ? one
        : { ...one, value: maskedValue(one.variable, changed.text) };
    });
  }
}
