import { Pattern } from '@ws01/asmx/internal/lexical/pattern/pattern';
import { PatternError } from '@ws01/asmx/internal/lexical/pattern/pattern-error';
import type { NamedType } from '../normal-form.ts';

/**
 * Leaves out the patterns that the server could not check: those that are no patterns of XML
 * Schema, or have too many states. As one of the patterns of a step must match, the others of that
 * step go too. ASMX itself checks none.
 * @returns the types, and a note for each that lost its patterns
 */
export function withCheckedPatterns(types: Readonly<Record<string, NamedType>>): {
  readonly types: Readonly<Record<string, NamedType>>;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const checked = Object.entries(types).map(([key, type]) => {
    if (type.kind !== 'simple' || type.facets?.patterns === undefined) return [key, type] as const;
    const { patterns, ...facets } = type.facets;
    const problem = problemOf(patterns);
    if (problem === undefined) return [key, type] as const;
    notes.push(`The type ${type.name} is served without its pattern ${problem}.`);
    return [key, { ...type, facets }] as const;
  });
  return { types: Object.fromEntries(checked), notes };
}

/** The longest part of a pattern that a note shows: characters. */
const SHOWN = 60;

function problemOf(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    try {
      new Pattern(pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const shown = pattern.length > SHOWN ? `${pattern.slice(0, SHOWN)}…` : pattern;
      return `${JSON.stringify(shown.toWellFormed())}, which XML Schema does not allow or no server could check: ${error.message}`;
    }
  }
  return undefined;
}
