/**
 * Why a WSDL cannot be taken:
 * - `unreadable`: a file is missing, is not well-formed, is no WSDL 1.1, or refers to what is
 *   nowhere;
 * - `unsupported`: it says what the engine cannot serve.
 */
export type WsdlErrorKind = 'unreadable' | 'unsupported';

/**
 * Characters of a WSDL that must not reach a terminal as they are: line ends, controls, and those
 * that have the text behind them shown in another place.
 */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text as one line of what it shows: line ends and tabs are blanks, other such characters are
 * written `\u001b`.
 */
export function oneLine(text: string): string {
  return text.replaceAll(UNSEEN, (unit) =>
    /\s/.test(unit) ? ' ' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A WSDL is refused. The message is one line: file, component, reason. */
export class WsdlError extends Error {
  override readonly name = 'WsdlError';
  readonly kind: WsdlErrorKind;
  /** The file or URL of the document in which the component stands. */
  readonly file: string;
  /** What is refused, such as `type Order/Item`; empty when it is the whole document. */
  readonly component: string;
  /** One sentence. */
  readonly reason: string;
  /**
   * The rule of the WS-I Basic Profile 1.1 that the WSDL breaks, such as `R2204`: it is
   * well-formed, but tools read it differently.
   */
  readonly rule: string | undefined;

  constructor(kind: WsdlErrorKind, file: string, component: string, reason: string, rule?: string) {
    const broken = rule === undefined ? '' : ` (WS-I Basic Profile 1.1, ${rule})`;
    super(oneLine([file, component, reason].filter((part) => part !== '').join(': ') + broken));
    this.rule = rule;
    this.kind = kind;
    this.file = file;
    this.component = component;
    this.reason = reason;
  }
}

/** A document that another one names is not there: it counts once something of it is used. */
export class MissingDocument extends WsdlError {}

/**
 * Does something with a contract of somebody else's. Nested types need no deep stack. What still
 * recurses, such as a text of a union of restrictions of unions, ends here.
 * @throws {WsdlError} `unsupported`, where the stack ends.
 */
export async function withinStack<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RangeError && /call stack/.test(error.message))) throw error;
    throw new WsdlError('unsupported', file, '', 'Its types refer to each other too deeply.');
  }
}
