import { type PatternNode, parsePattern } from '../../lexical/pattern/parse-pattern.ts';
import { Pattern } from '../../lexical/pattern/pattern.ts';
import { PatternError } from '../../lexical/pattern/pattern-error.ts';

/** The longest text that is made. */
const SAMPLE_CHARS = 10_000;

/** What is tried in a class. */
const CANDIDATES = [...'1a0AzZ9- _.:/@,#+xX'];

/**
 * A short text that a pattern of XML Schema matches (XML Schema 2, appendix F), for samples.
 * @returns `undefined` for what is too rich to find one for.
 */
export function patternSample(pattern: string): string | undefined {
  try {
    const sample = sampleOf(parsePattern(pattern));
    return sample !== undefined && new Pattern(pattern).matches(sample) ? sample : undefined;
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

/** As little as possible that a node matches, of the first of alternatives. */
function sampleOf(node: PatternNode): string | undefined {
  if (node.kind === 'one') {
    const { set, example = 'a' } = node;
    return [...CANDIDATES, example].find((each) => set(each.codePointAt(0)!));
  }
  if (node.kind === 'choice') return sampleOf(node.branches[0]!);
  if (node.kind === 'repeat') {
    if (node.min === 0) return '';
    const one = sampleOf(node.of);
    return one === undefined || one.length * node.min > SAMPLE_CHARS
      ? undefined
      : one.repeat(node.min);
  }
  let sample = '';
  for (const part of node.parts) {
    const one = sampleOf(part);
    if (one === undefined || sample.length + one.length > SAMPLE_CHARS) return undefined;
    sample += one;
  }
  return sample;
}
