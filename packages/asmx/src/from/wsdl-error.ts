/**
 * Why a WSDL cannot be taken:
 * - `unreadable`: a file is missing, is not well-formed, is no WSDL 1.1, or refers to what is nowhere;
 * - `unsupported`: it says what the engine cannot serve.
 */
export type WsdlErrorKind = 'unreadable' | 'unsupported';

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
  /** The rule of the WS-I Basic Profile 1.1 that the WSDL breaks, such as `R2204`: it is well-formed, but tools read it differently. */
  readonly rule: string | undefined;

  constructor(kind: WsdlErrorKind, file: string, component: string, reason: string, rule?: string) {
    const broken = rule === undefined ? '' : ` (WS-I Basic Profile 1.1, ${rule})`;
    super([file, component, reason].filter((part) => part !== '').join(': ') + broken);
    this.rule = rule;
    this.kind = kind;
    this.file = file;
    this.component = component;
    this.reason = reason;
  }
}

/** An operation has an attachment outside of MTOM, which the engine does not serve; its service can be served without it. */
export class AttachmentError extends WsdlError {}
