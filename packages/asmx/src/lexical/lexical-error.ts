const EXCERPT_LENGTH = 40;

/** A text that is not in the lexical form of its type. The caller knows the parameter's name and adds it. */
export class LexicalError extends Error {
  /** Our sentence: what was wrong and what would be right. */
  readonly reason: string;
  /** What ASP.NET says in its place, for faults that old clients show; `undefined` where it would have taken the text. */
  readonly aspnetReason: string | undefined;

  constructor(reason: string, aspnetReason?: string) {
    super(reason);
    this.name = 'LexicalError';
    this.reason = reason;
    this.aspnetReason = aspnetReason;
  }
}

/**
 * The start of a text from the wire, fit to stand in an error message: at most 40 UTF-16 code units and an ellipsis,
 * with control characters and everything else that XML forbids shown as U+FFFD.
 */
export function excerpt(text: string): string {
  if (text.length <= EXCERPT_LENGTH) return printable(text);
  return `${printable(text.slice(0, EXCERPT_LENGTH))}…`;
}

function printable(text: string): string {
  let shown = '';
  for (const char of text.toWellFormed()) {
    const code = char.charCodeAt(0);
    shown += code < 0x20 || (code >= 0x7f && code < 0xa0) || code >= 0xfffe ? '\ufffd' : char;
  }
  return shown;
}
