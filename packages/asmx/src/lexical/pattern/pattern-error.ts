/**
 * A pattern that XML Schema's language has not, or that is too large; the message is half a
 * sentence that says why.
 */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}
