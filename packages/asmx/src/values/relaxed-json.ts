import { JsonCursor } from '../lexical/json-cursor.ts';
import { FLOAT } from '../lexical/numbers.ts';

/**
 * Parses JSON with what ASP.NET's JavaScriptSerializer also reads (wire 14): texts in single
 * quotes, names without quotes, raw control characters in texts, numbers like `05`, `+5` and `5.`,
 * NULs behind the object.
 * @param text its depth and size must have been checked.
 * @param index where in its document it begins.
 * @param number makes a value from the digits of a number.
 * @throws {JsonError}
 */
export function parseRelaxed(
  text: string,
  index: number,
  number: (digits: string) => unknown,
): unknown {
  return new RelaxedParser(text, index, number).parse();
}

class RelaxedParser {
  readonly #cursor: JsonCursor;
  readonly #number: (digits: string) => unknown;

  constructor(text: string, index: number, number: (digits: string) => unknown) {
    this.#cursor = new JsonCursor(index);
    this.#cursor.append(text);
    this.#number = number;
  }

  parse(): unknown {
    const value = this.#value();
    for (let rest = this.#cursor.skipSpace(); rest !== undefined; rest = this.#cursor.skipSpace()) {
      if (rest !== '\0') throw this.#cursor.malformed('Nothing may follow the JSON object.');
      this.#cursor.at++;
    }
    return value;
  }

  #value(): unknown {
    const character = this.#cursor.skipSpace();
    if (character === '{') return this.#object();
    if (character === '[') return this.#array();
    if (character !== undefined && this.#cursor.opensString(character)) return this.#text();
    const at = this.#cursor.at;
    const literal = this.#cursor.literal();
    if (FLOAT.test(literal)) return this.#number(literal);
    if (literal === 'true' || literal === 'false') return literal === 'true';
    if (literal === 'null') return null;
    throw this.#cursor.malformed('Here a JSON value must stand.', at);
  }

  #object(): Record<string, unknown> {
    const members = new Map<string, unknown>();
    this.#cursor.at++;
    if (this.#ends('}')) return {};
    do {
      const character = this.#cursor.skipSpace();
      const quoted = character !== undefined && this.#cursor.opensString(character);
      if (!quoted && !this.#cursor.beginsLiteral())
        throw this.#cursor.malformed('Here the name of a member must stand.');
      const name = quoted ? this.#text() : this.#cursor.literal();
      if (this.#cursor.skipSpace() !== ':')
        throw this.#cursor.malformed('A colon must stand between name and value.');
      this.#cursor.at++;
      // Of repeated ones the last wins, as JSON.parse has it.
      members.set(name, this.#value());
    } while (this.#goesOn('}'));
    return Object.fromEntries(members);
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#cursor.at++;
    if (this.#ends(']')) return items;
    do items.push(this.#value());
    while (this.#goesOn(']'));
    return items;
  }

  /** Reads the text that begins with the quote at this position. */
  #text(): string {
    this.#cursor.at++;
    const { part, ended } = this.#cursor.string();
    if (!ended) throw this.#cursor.malformed('The JSON text ends too early.');
    return part;
  }

  #ends(closing: string): boolean {
    const ends = this.#cursor.skipSpace() === closing;
    if (ends) this.#cursor.at++;
    return ends;
  }

  /**
   * Steps over a comma or the closing bracket.
   * @returns whether it was a comma, so that another item must follow.
   */
  #goesOn(closing: string): boolean {
    const character = this.#cursor.skipSpace();
    if (character !== ',' && character !== closing)
      throw this.#cursor.malformed(
        character === undefined
          ? 'The JSON text ends too early.'
          : `Here "," or "${closing}" must stand.`,
      );
    this.#cursor.at++;
    return character === ',';
  }
}
