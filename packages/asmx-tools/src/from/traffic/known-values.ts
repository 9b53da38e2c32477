/** How short a secret may be to be looked for elsewhere: shorter ones stand there by chance. */
const SOUGHT_CHARS = 6;
/** Shorter ones are looked for as whole words only. */
const WHOLE_WORD_CHARS = 12;
/** After how many new ones those are forgotten that came before the last as many. */
const GENERATION = 10_000;
/**
 * How many lengths are tried of those that begin alike, so that a place costs little however many
 * there are.
 */
const MOST_LENGTHS = 50;

/** Values that came at about the same time. */
class Generation {
  /** The name under which each was found. */
  readonly names = new Map<string, string>();
  /** The lengths of values, by their first characters. */
  readonly #lengths = new Map<string, Set<number>>();
  /**
   * Whether a value may begin with three characters: most places in a text are passed over by it.
   */
  readonly #starts = new Uint8Array(1 << 16);

  add(value: string, name: string): void {
    this.names.set(value, name);
    this.#starts[slotOf(value, 0)] = 1;
    const start = value.slice(0, SOUGHT_CHARS);
    const lengths = this.#lengths.get(start) ?? new Set();
    if (lengths.size < MOST_LENGTHS) this.#lengths.set(start, lengths.add(value.length));
  }

  /** The longest value that stands at a place. */
  at(text: string, at: number): string | undefined {
    if (this.#starts[slotOf(text, at)] === 0) return undefined;
    let longest: string | undefined;
    for (const length of this.#lengths.get(text.slice(at, at + SOUGHT_CHARS)) ?? []) {
      const value = text.slice(at, at + length);
      if (
        value.length > (longest?.length ?? 0) &&
        this.names.has(value) &&
        isAlone(text, at, value)
      )
        longest = value;
    }
    return longest;
  }
}

function slotOf(text: string, at: number): number {
  return (
    (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & 0xffff
  );
}

/** Values that were taken out once, to find them wherever they come again. */
export class KnownValues {
  #young = new Generation();
  #old = new Generation();

  /** Remembers a value in all forms in which messages write it. */
  add(value: string, name: string): void {
    for (const form of formsOf(value)) {
      if (form.length < SOUGHT_CHARS) continue;
      if (this.#young.names.size >= GENERATION) {
        this.#old = this.#young;
        this.#young = new Generation();
      }
      this.#young.add(form, name);
    }
  }

  /**
   * A text without the values that are known.
   * @param found gets the name of each that stood there.
   */
  removedFrom(text: string, put: string, found: (name: string) => void): string {
    let written = '';
    let from = 0;
    for (let at = 0; at + SOUGHT_CHARS <= text.length; ) {
      const value = this.#young.at(text, at) ?? this.#old.at(text, at);
      if (value === undefined) {
        at++;
        continue;
      }
      written += text.slice(from, at) + put;
      at += value.length;
      from = at;
      found(this.#young.names.get(value) ?? this.#old.names.get(value) ?? '');
    }
    return from === 0 ? text : written + text.slice(from);
  }
}

const WORD = /[\p{L}\p{N}_]/u;

/** Whether a short value is no part of a longer word, nor the name of an element. */
function isAlone(text: string, at: number, value: string): boolean {
  if (value.length >= WHOLE_WORD_CHARS) return true;
  const [before = '', after = ''] = [text[at - 1], text[at + value.length]];
  return (
    !WORD.test(before) && !WORD.test(after) && before !== '<' && text.slice(at - 2, at) !== '</'
  );
}

/** A value in the forms in which messages may repeat it. */
function formsOf(value: string): readonly string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = text.replaceAll('"', '&quot;');
  const component = encodeURIComponent(value.toWellFormed());
  return [
    ...[value, text, quoted, quoted.replaceAll("'", '&#39;'), quoted.replaceAll("'", '&apos;')],
    ...[JSON.stringify(value).slice(1, -1), component, component.replaceAll('%20', '+')],
  ];
}
