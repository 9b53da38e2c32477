/** What stands in a sentence: a value, or a part that is translated itself. */
type SentenceValue = string | number | Sentence;

/**
 * Values by these names are the service's own: what it calls things, its limits, and how long a
 * text was.
 */
const OWN: ReadonlySet<string> = new Set([
  ...['field', 'kind', 'least', 'most', 'digits', 'part', 'values', 'known', 'noun'],
  ...['method', 'route', 'role', 'document'],
]);

/** What stands in a stored text for a value that a caller sent. */
export const MASK = '…';

/** A sentence with the values in it. Translations are found by its template. */
export class Sentence {
  /** English, with the names of the values: `{field} is required.` */
  readonly template: string;
  readonly values: Readonly<Record<string, SentenceValue>>;

  constructor(template: string, values: Readonly<Record<string, SentenceValue>> = {}) {
    this.template = template;
    this.values = values;
  }

  /** Returns the sentence in English. */
  toString(): string {
    return this.filled(this.template, String);
  }

  /** Returns the sentence in English for a place where values of callers are not kept. */
  masked(): string {
    return this.filled(this.template, (value, name) => {
      if (value instanceof Sentence) return value.masked();
      return OWN.has(name) ? String(value) : MASK;
    });
  }

  /** Returns a translation of the template with the values, each as `shown` returns it. */
  filled(template: string, shown: (value: SentenceValue, name: string) => string): string {
    return template.replaceAll(/\{(\w+)\}/g, (whole, name) => {
      const value = this.values[name];
      return value === undefined ? whole : shown(value, name);
    });
  }
}

/** Makes a sentence with named values: say`${{ field }} is required.` */
export function say(
  texts: TemplateStringsArray,
  ...named: readonly Readonly<Record<string, SentenceValue>>[]
): Sentence {
  const names = named.map((one) => Object.keys(one)[0] ?? '');
  const template = texts.reduce((whole, text, index) => `${whole}{${names[index - 1]}}${text}`);
  return new Sentence(template, Object.assign({}, ...named));
}
