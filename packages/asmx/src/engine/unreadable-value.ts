/**
 * Stands in place of a value that could not be read. Its error is thrown when a handler reads the parameter, so that
 * errors come in the order of the handler's own checks (semantics 4).
 */
export class UnreadableValue {
  /** What was wrong and what would be right, to follow the parameter's name. */
  readonly reason: string;
  /** The SOAP fault in ASP.NET's words, where it has its own. */
  readonly faultstring: string | undefined;

  constructor(reason: string, faultstring?: string) {
    this.reason = reason;
    this.faultstring = faultstring;
  }
}
