import fc from 'fast-check';
import { randomIntegers } from './random.ts';

/** One of texts, so often as it weighs. */
const weighing = (weight: number, ...texts: string[]) => ({
  weight,
  arbitrary: fc.constantFrom(...texts),
});

/** Names: plain, with prefixes declared and not, reserved, of every kind of character, and some that are none. */
const names = fc.oneof(
  weighing(8, 'a', 'b', 'p:a', 'q:a', 'p:b', 'é', '中', 'a-1.2_x', '_', 'x·'),
  weighing(1, '\u{10000}', 'a\u{EFFFF}', 'xml:lang', 'xmlfoo', 'p:中', '\u0bb5', 'ſ'),
  weighing(1, '1a', ':a', 'a:', 'p:1', 'p:q:a', 'a×', '-', 'xmlns:a', '\u037e', '\u{F0000}'),
);
const uris = fc.constantFrom(
  ...['urn:p', 'urn:q', 'http://example.org/%7E', ''],
  ...['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/'],
);
const characters = fc.oneof(
  weighing(6, ...'x \n\t\r中é😀]>"\'-?', '\r\n', ']]'),
  weighing(1, ...'\u007f\u0085\u2028\ufffd\ufeff\u{10ffff}\u{1fffe}'),
);
const words = fc.array(characters, { maxLength: 6 }).map((each) => each.join(''));
const references = fc.oneof(
  weighing(
    6,
    ...[
      '&lt;',
      '&gt;',
      '&amp;',
      '&quot;',
      '&apos;',
      '&#65;',
      '&#x1F600;',
      '&#xD;',
      '&#10;',
      '&#9;',
    ],
  ),
  weighing(
    1,
    ...['&#0000000000065;', '&#x0000000041;', '&#xfffd;', '&#x10FFFF;', '&#xD83D;&#xDE00;'],
  ),
);
const notInComments = words.map((word) => word.replaceAll('-', '='));
const comments = notInComments.map((word) => `<!--${word}-->`);
const instructions = fc
  .tuple(fc.constantFrom('pi', 'xmla', 'xml-stylesheet', '中'), words)
  .map(([target, word]) => `<?${target} ${word.replaceAll('?', '!')}?>`);
const cdata = words.map((word) => `<![CDATA[${word.replaceAll('>', '<').replaceAll(']]', ']')}]]>`);
const text = words.map((word) => word.replaceAll(']]', ']'));

const values = fc
  .array(fc.oneof(text, references), { maxLength: 3 })
  .chain((parts) =>
    fc.constantFrom('"', "'").map((quote) => quote + parts.join('').replaceAll(quote, '-') + quote),
  );
const spaces = fc.constantFrom('', '', '', ' ', '\n', '\r\n', '\t');
const attributes = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(names, spaces, spaces, values)
      .map(([name, before, after, value]) => `${name}${before}=${after}${value}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('xmlns', 'xmlns:p', 'xmlns:q', 'xmlns:xml', 'xmlns:xmlns'), uris)
      .map(([name, uri]) => `${name}="${uri}"`),
  },
);
/** Most elements declare the prefixes that the names use. */
const declarations = fc.constantFrom(
  ' xmlns:p="urn:p" xmlns:q="urn:q"',
  ' xmlns:p="urn:p" xmlns:q="urn:q"',
  " xmlns='urn:p' xmlns:p='urn:p' xmlns:q='urn:p'",
  '',
);

const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  content: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    text,
    references,
    cdata,
    comments,
    instructions,
    tie('element'),
  ),
  element: fc
    .tuple(
      names,
      declarations,
      fc.array(attributes, { maxLength: 3 }),
      spaces,
      fc.array(tie('content'), { maxLength: 4 }),
      fc.boolean(),
    )
    .map(([name, declared, list, space, content, empty]) => {
      const start = `<${name}${declared}${list.map((each) => ` ${each}`).join('')}${space}`;
      return content.length === 0 && empty
        ? `${start}/>`
        : `${start}>${content.join('')}</${name}${space}>`;
    }),
}));
const misc = fc
  .array(fc.oneof(comments, instructions, spaces), { maxLength: 2 })
  .map((parts) => parts.join(''));
const declaration = fc.constantFrom(
  '',
  '',
  '<?xml version="1.0"?>',
  '<?xml version="1.0" encoding="UTF-8"?>',
  "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>",
);

/** Documents, nearly all of them well-formed. */
const wellFormed = fc.tuple(declaration, misc, element, misc).map((parts) => parts.join(''));

/** What breaks documents. */
const SNIPPETS: readonly string[] = [
  ...'<>&;"\'=/!?-[]:# \n\r1xX',
  ...'<! <!-- --> -- <![CDATA[ ]]> <? ?> </ /> <a/> <a> </a>'.split(' '),
  ...'&# &#x &#0; &#xFFFF; &#xD800; &#xDC00; &#1114112; &#-1; &foo; &amp &#x1; &#xA;'.split(' '),
  ...['<!DOCTYPE a>', '<?xml version="1.0"?>', '<?xml?>', '<?XML x?>', '<?p:i x?>'],
  ...['version="1.1"', ' encoding="utf-16"', ' a="1"', ' a="<"', ' xmlns:p=""', ' xmlns=""'],
  ...[' p:a="1"', ' q:a="1"', ' xml:space="preserve"'],
  ...['\0', '\u0001', '\u000b', '\u001f', '\ufffe', '\uffff', '\ufeff'],
];
const ENCODINGS = ['utf8', 'utf8', 'utf8', 'utf8', 'utf8', 'bom', 'utf16le', 'utf16be'] as const;

/** A well-formed document (mostly), with the seed of what {@link family} makes of it. */
export const seeds: fc.Arbitrary<[string, number]> = fc.tuple(wellFormed, fc.nat());

/** The document in one of the encodings, and others that a change or two has made of it. */
export function* family([text, seed]: readonly [string, number], size: number): Generator<Buffer> {
  const random = randomIntegers(seed);
  yield encode(text, ENCODINGS[random(ENCODINGS.length)]!);
  for (let i = 1; i < size; i++) {
    const changed = change(random(3) > 0 ? text : change(text, random), random);
    const encoding = ENCODINGS[random(ENCODINGS.length)]!;
    const bytes = encode(changed.toWellFormed(), encoding);
    if (encoding === 'utf8' && bytes.length > 0 && random(10) === 0)
      bytes[random(bytes.length)] = 0x80 + random(0x80);
    yield bytes;
  }
}

function change(text: string, random: (below: number) => number): string {
  const at = random(text.length + 1);
  const to = at + 1 + random(8);
  const by = SNIPPETS[random(SNIPPETS.length)]!;
  const [before, piece, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
  return [
    before + by + piece + after,
    before + after,
    before + by + after,
    before + piece + piece + after,
    before,
  ][random(5)]!;
}

function encode(text: string, encoding: (typeof ENCODINGS)[number]): Buffer {
  if (encoding === 'utf8') return Buffer.from(text);
  if (encoding === 'bom') return Buffer.from(`\ufeff${text}`);
  const units = Buffer.from(`\ufeff${text.replaceAll(/utf-8/gi, 'utf-16')}`, 'utf16le');
  return encoding === 'utf16le' ? units : units.swap16();
}
