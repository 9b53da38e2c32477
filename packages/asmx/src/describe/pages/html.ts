/** A piece of HTML that is escaped already. */
export interface Markup {
  readonly markup: string;
}

/** A value in a template: markup is unchanged, text escaped, lists joined, absent values empty. */
type Interpolation = Markup | string | number | undefined | false | readonly Interpolation[];

/**
 * A template whose interpolated texts are escaped, for element content and for attribute values in
 * quotes. `html\`<b>${name}</b>\``
 */
export function html(strings: TemplateStringsArray, ...values: readonly Interpolation[]): Markup {
  let markup = strings[0]!;
  values.forEach((value, index) => {
    markup += render(value) + strings[index + 1]!;
  });
  return { markup };
}

/** Declares text to be markup; for text of our own that holds no input. */
export function raw(markup: string): Markup {
  return { markup };
}

function render(value: Interpolation): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  if ('markup' in value) return value.markup;
  return value.map(render).join('');
}

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Text as HTML shows it, in element content and in quoted attribute values. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => REFERENCES.get(character)!);
}
