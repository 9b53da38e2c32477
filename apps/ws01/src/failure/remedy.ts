/**
 * The two halves of a sentence for the operator: what is wrong; what helps.
 * @returns the remedy without its full stop; `undefined` where the sentence has none.
 */
export function remedyIn(sentence: string): { readonly what: string; readonly remedy?: string } {
  const at = sentence.indexOf('; ');
  if (at < 0) return { what: sentence };
  return { what: `${sentence.slice(0, at)}.`, remedy: sentence.slice(at + 2).replace(/\.$/, '') };
}
