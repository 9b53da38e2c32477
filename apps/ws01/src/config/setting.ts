import type { Form } from './forms.ts';

/** A setting: its environment variable, form, default and documentation. */
export interface Setting<Value = unknown> {
  readonly variable: string;
  readonly form: Form<Value>;
  /** The default, as text. Without one, the value of an unset setting is `undefined`. */
  readonly fallback?: string;
  /** What the documentation shows as the default when there is no `fallback`. */
  readonly without?: string;
  /** What messages must hide: the whole value, or everything of a URL but scheme and host. */
  readonly secret?: 'whole' | 'url';
  readonly documentation: string;
  /** Whether owners may change it while the service runs, unless the environment fixes it. */
  readonly changes?: true;
}

/** Returns the setting unchanged; keeps its literal types. */
export function setting<const S extends Setting>(value: S): S {
  return value;
}
