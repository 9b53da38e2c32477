/** Text is not base64. */
export class Base64Error extends Error {
  /** Where, in UTF-16 code units from the start of the value. */
  readonly index: number;

  constructor(reason: string, index: number) {
    super(reason);
    this.name = 'Base64Error';
    this.index = index;
  }
}
