const EXCERPT_LENGTH = 40;

/**
 * A text that is not in the lexical form of its type. The caller adds the name of the parameter.
 */
export class LexicalError extends Error {
  /** A sentence with the problem and the remedy. */
  readonly reason: string;
  /**
   * ASP.NET's message, for faults that old clients show; `undefined` when ASP.NET would accept the
   * text.
   */
  readonly aspnetReason: string | undefined;

  constructor(reason: string, aspnetReason?: string) {
    super(reason);
    this.name = 'LexicalError';
    this.reason = reason;
    this.aspnetReason = aspnetReason;
  }
}

/**
 * The start of a text from the wire, for an error message: at most 40 UTF-16 code units and an
 * ellipsis. Control characters, and others that XML forbids, become U+FFFD.
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
