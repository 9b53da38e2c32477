import type { Form } from './forms.ts';

/** A setting: its environment variable, form, default and documentation. */
export interface Setting<Value = unknown> {
  readonly variable: string;
  readonly form: Form<Value>;
  /** The text that stands for it when it is not set; when absent, the value is then `undefined`. */
  readonly fallback?: string;
  /** What the documentation shows as the default when there is no `fallback`. */
  readonly without?: string;
  /** What a message must not show of it: anything, or of a URL more than scheme and host. */
  readonly secret?: 'whole' | 'url';
  readonly documentation: string;
}

/** A setting, with its own types kept: its variable, and what its form reads. */
export function setting<const S extends Setting>(value: S): S {
  return value;
}
