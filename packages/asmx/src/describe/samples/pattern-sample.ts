import { type PatternNode, parsePattern } from '../../lexical/pattern/parse-pattern.ts';
import { Pattern } from '../../lexical/pattern/pattern.ts';
import { PatternError } from '../../lexical/pattern/pattern-error.ts';

/** The longest text that is made. */
const SAMPLE_CHARS = 10_000;

/** What is tried in a class. */
const CANDIDATES = [...'1a0AzZ9- _.:/@,#+xX'];

/**
 * Texts that a pattern of XML Schema matches (XML Schema 2, appendix F), for samples; none for what
 * is too rich to find one for.
 * @param repeats how often what may repeat is there in each, as far as it may.
 */
export function* patternSamples(
  pattern: string,
  repeats: readonly number[] = [0],
): Iterable<string> {
  try {
    const node = parsePattern(pattern);
    let matcher: Pattern | undefined;
    for (const times of repeats) {
      const sample = sampleOf(node, times);
      if (sample === undefined) continue;
      matcher ??= new Pattern(pattern);
      if (matcher.matches(sample)) yield sample;
    }
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
  }
}

/** What a node matches, of the first of alternatives. */
function sampleOf(node: PatternNode, times: number): string | undefined {
  if (node.kind === 'one') {
    const { set, example = 'a' } = node;
    return [...CANDIDATES, example].find((each) => set(each.codePointAt(0)!));
  }
  if (node.kind === 'choice') return sampleOf(node.branches[0]!, times);
  if (node.kind === 'repeat') {
    const count = Math.min(Math.max(node.min, times), node.max ?? times);
    if (count === 0) return '';
    const one = sampleOf(node.of, times);
    return one === undefined || one.length * count > SAMPLE_CHARS ? undefined : one.repeat(count);
  }
  let sample = '';
  for (const part of node.parts) {
    const one = sampleOf(part, times);
    if (one === undefined || sample.length + one.length > SAMPLE_CHARS) return undefined;
    sample += one;
  }
  return sample;
}
