/** A number of a JSON text, kept as digits. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Parses JSON whose numbers keep their digits, where the platform can tell them.
 * @throws {SyntaxError}
 */
export function parseWithDigits(text: string): unknown {
  return JSON.parse(text, (_, value, context?: { readonly source?: string }) =>
    typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value,
  );
}
