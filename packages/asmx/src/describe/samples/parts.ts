/**
 * A part of a sample: literal text, a parameter's name, or a placeholder with the value that can
 * stand for it.
 */
export type SamplePart = string | { readonly key: string } | Placeholder;

export interface Placeholder {
  /** What ASP.NET shows: the type's name, or `length`. */
  readonly placeholder: string;
  /** The same place filled from the contract's sample values, encoded for where it stands. */
  readonly filled: string;
  /** Whose value it is, where the page may put the caller's own there. */
  readonly parameter?: string;
  /** How that is written there. */
  readonly writing?: Escape;
}

/**
 * How a value is in the source of a program: in a shell's or PHP's or Delphi's single quotes, or in
 * double ones.
 */
export type Escape = 'shell' | 'double' | 'php' | 'delphi';

export function joined(lists: readonly (readonly SamplePart[])[], separator: string): SamplePart[] {
  return lists.flatMap((list, index) => (index === 0 ? list : [separator, ...list]));
}

/** A sample's text with its sample values in place. */
export function filledText(parts: readonly SamplePart[]): string {
  return parts.map(filledPart).join('');
}

function filledPart(part: SamplePart): string {
  if (typeof part === 'string') return part;
  return 'key' in part ? part.key : part.filled;
}
