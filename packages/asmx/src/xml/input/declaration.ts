import { isSpace } from '../chars.ts';
import { XmlRefusal } from '../errors.ts';

/** The content of an XML declaration. */
interface XmlDeclaration {
  /** `1.0`; a later `1.x` is read as 1.0, as the fifth edition asks, except 1.1, which differs. */
  readonly version: string;
  /** As written; it may not be a valid name, see {@link ENCODING_NAME}. */
  readonly encoding: string | undefined;
}

/**
 * The form of an encoding's name (XML 1.0 [81]). It is ignored when the charset is known otherwise.
 */
export const ENCODING_NAME = /^[A-Za-z][A-Za-z0-9._-]*$/;

/**
 * Reads an XML declaration (XML 1.0 [23]).
 * @param text from `<?xml` to the first `>`, both included.
 * @throws {XmlRefusal} when it is malformed or declares another version than 1.0.
 */
export function readDeclaration(text: string): XmlDeclaration {
  for (const { written, read } of COMMON) if (text === written) return read;
  return parseDeclaration(text);
}

/** The declaration of nearly every client, parsed. */
const COMMON: readonly { written: string; read: XmlDeclaration }[] = [
  '<?xml version="1.0" encoding="utf-8"?>',
  '<?xml version="1.0" encoding="UTF-8"?>',
  "<?xml version='1.0' encoding='utf-8'?>",
  "<?xml version='1.0' encoding='UTF-8'?>",
  '<?xml version="1.0"?>',
].map((written) => ({ written, read: parseDeclaration(written) }));

function parseDeclaration(text: string): XmlDeclaration {
  if (!text.endsWith('?>')) throw malformedDeclaration();
  const fields = readFields(text.slice('<?xml'.length, -2));
  let next = 0;
  const take = (name: string): string | undefined =>
    fields[next]?.name === name ? fields[next++]!.value : undefined;
  const version = take('version');
  const encoding = take('encoding');
  const standalone = take('standalone');
  if (version === undefined || next !== fields.length) throw malformedDeclaration();
  if (standalone !== undefined && standalone !== 'yes' && standalone !== 'no')
    throw malformedDeclaration();
  if (!/^1\.[0-9]+$/.test(version))
    throw new XmlRefusal('version', 'The document is not in XML version 1.0.');
  if (version === '1.1')
    throw new XmlRefusal('version', 'XML version 1.1 is not read; send version 1.0.');
  return { version, encoding };
}

interface Field {
  readonly name: string;
  readonly value: string;
}

/** Splits ` name="value" name='value' ` into its fields. */
function readFields(text: string): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const skipSpace = (): number => {
    const from = at;
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    return at - from;
  };
  while (true) {
    const spaced = skipSpace() > 0;
    if (at === text.length) return fields;
    if (!spaced) throw malformedDeclaration();
    const nameFrom = at;
    while (at < text.length && text[at]! >= 'a' && text[at]! <= 'z') at++;
    const name = text.slice(nameFrom, at);
    skipSpace();
    if (text[at++] !== '=') throw malformedDeclaration();
    skipSpace();
    const quote = text[at++];
    if (quote !== '"' && quote !== "'") throw malformedDeclaration();
    const end = text.indexOf(quote, at);
    if (end < 0) throw malformedDeclaration();
    fields.push({ name, value: text.slice(at, end) });
    at = end + 1;
  }
}

export function malformedDeclaration(): XmlRefusal {
  return new XmlRefusal(
    'malformed',
    'The XML declaration is malformed; it reads <?xml version="1.0" encoding="…" standalone="…"?>, the last two optional.',
  );
}
