import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './kit/reading.ts';

/** Documents and what is reported of them. */
const accepted: readonly [what: string, document: string, events: readonly string[]][] = [
  ['the smallest document', '<a/>', ['<a>', '/']],
  ['white space where it may stand', ' \n<a \r\n\t></a\n>\n ', ['<a>', '/']],
  [
    'text, CDATA and references are one text',
    '<a>1&lt;2<![CDATA[<&]]>&#x33;<!-- - -->4<?p ?>5</a>',
    ['<a>', '1<2<&345', '/'],
  ],
  ['the five entities', '<a>&lt;&gt;&amp;&quot;&apos;</a>', ['<a>', '<>&"\'', '/']],
  [
    'character references',
    '<a>&#65;&#x41;&#x1F600;&#0000000000000000065;</a>',
    ['<a>', 'AA😀A', '/'],
  ],
  [
    'a pair of surrogate references',
    '<a b="&#xD83D;&#56832;">&#55357;&#xDE00;</a>',
    ['<a b="😀">', '😀', '/'],
  ],
  [
    'the first and the last pair',
    '<a>&#xD800;&#xDC00;&#xDBFF;&#xDFFF;</a>',
    ['<a>', '\u{10000}\u{10FFFF}', '/'],
  ],
  [
    'line ends become line feeds, references to them do not',
    '<a>\r\n\r\n\r&#13;\n</a>',
    ['<a>', '\n\n\n\r\n', '/'],
  ],
  [
    'white space in attributes becomes blanks, references to it do not',
    '<a b=" \r\n\t&#10;&#9;&#13;"/>',
    ['<a b="   \\n\\t\\r">', '/'],
  ],
  ['quotes of either kind', '<a b="\'" c=\'"\'/>', ['<a b="\'" c="\\"">', '/']],
  ['> in text and attributes', '<a b=">">></a>', ['<a b=">">', '>', '/']],
  [']] and ] > in text', '<a>]]]] >]</a>', ['<a>', ']]]] >]', '/']],
  [
    ']]> divided by markup or written with a reference',
    '<a>]]<!---->>]]&gt;]&#93;></a>',
    ['<a>', ']]>]]>]]>', '/'],
  ],
  ['brackets at the end of CDATA', '<a><![CDATA[]]]]]]></a>', ['<a>', ']]]]', '/']],
  ['markup in CDATA', '<a><![CDATA[<b>&amp;<!--]]></a>', ['<a>', '<b>&amp;<!--', '/']],
  [
    'markup in comments and instructions',
    '<!-- <b> & ]]> ? --><a><?p <b> & ]]> -- ??></a>',
    ['<a>', '/'],
  ],
  ['an instruction without data', '<?p?><a/><?xml-x?>', ['<a>', '/']],
  [
    'names of the fifth edition',
    '<中.-_·a\u0300 \u{10000}\u{EFFFF}=""/>',
    ['<中.-_·a\u0300 \u{10000}\u{EFFFF}="">', '/'],
  ],
  ['a byte order mark, and U+FEFF as text', '\ufeff<a>\ufeff</a>', ['<a>', '\ufeff', '/']],
  [
    'every kind of character',
    '<a>\t\u0020\ud7ff\ue000\ufffd\u{10000}\u{10ffff}\u007f\u0085\u2028</a>',
    ['<a>', '\t\u0020\ud7ff\ue000\ufffd\u{10000}\u{10ffff}\u007f\u0085\u2028', '/'],
  ],
  [
    'an XML declaration',
    "<?xml version='1.0'\tencoding = \"utf-8\" standalone='no' ?><a/>",
    ['<a>', '/'],
  ],
  [
    'a later version, which the fifth edition reads as 1.0',
    '<?xml version="1.7"?><a/>',
    ['<a>', '/'],
  ],
  [
    'namespaces',
    '<a xmlns="u:d" xmlns:p="u:p"><p:a b="" p:b=""/><b xmlns=""><c/></b></a>',
    ['<{u:d}a>', '<{u:p}p:a b="" {u:p}p:b="">', '/', '<b>', '<c>', '/', '/', '/'],
  ],
  [
    'declarations after their use, and redeclared inside',
    '<p:a p:b="1" xmlns:p="u:1"><p:a xmlns:p="u:2"/><p:c/></p:a>',
    ['<{u:1}p:a {u:1}p:b="1">', '<{u:2}p:a>', '/', '<{u:1}p:c>', '/', '/'],
  ],
  [
    'the prefix xml',
    '<a xml:lang="en" xmlns:xml="http://www.w3.org/XML/1998/namespace"/>',
    ['<a {http://www.w3.org/XML/1998/namespace}xml:lang="en">', '/'],
  ],
  [
    'one local name in two namespaces and in none',
    '<a xmlns="u:1" xmlns:p="u:1" xmlns:q="u:2" b="" p:b="" q:b=""/>',
    ['<{u:1}a b="" {u:1}p:b="" {u:2}q:b="">', '/'],
  ],
  [
    'a prefix bound anew inside, and as before after it',
    '<p:a xmlns:p="u:1"><p:b xmlns:p="u:2"><p:c/></p:b><p:d/></p:a>',
    ['<{u:1}p:a>', '<{u:2}p:b>', '<{u:2}p:c>', '/', '/', '<{u:1}p:d>', '/', '/'],
  ],
  [
    'an element of the prefix xml, and one called xmlns',
    '<xml:a/>',
    ['<{http://www.w3.org/XML/1998/namespace}xml:a>', '/'],
  ],
  ['xmlns as the name of an element', '<xmlns xmlns="u"/>', ['<{u}xmlns>', '/']],
  [
    'a prefix is told apart by letter case',
    '<a xmlns:XML="u" XML:b=""/>',
    ['<a {u}XML:b="">', '/'],
  ],
  [
    'a namespace name with white space, as it is normalised',
    '<a xmlns="u\r\n\tv"/>',
    ['<{u  v}a>', '/'],
  ],
  [
    'a CDATA section ended within another',
    '<a><![CDATA[]]]]><![CDATA[>]]></a>',
    ['<a>', ']]>', '/'],
  ],
  ['an empty CDATA section between brackets', '<a>]]<![CDATA[]]>></a>', ['<a>', ']]>', '/']],
  ['line ends in CDATA', '<a><![CDATA[\r\n\r]]></a>', ['<a>', '\n\n', '/']],
  ['a line end and a reference to one', '<a>\r&#10;\r&#xA;</a>', ['<a>', '\n\n\n\n', '/']],
  ['a semicolon after a reference', '<a>&amp;;</a>', ['<a>', '&;', '/']],
  ['an empty comment', '<a><!----></a>', ['<a>', '/']],
  [
    'prototype names',
    '<__proto__ constructor="" __proto__="" xmlns:toString="u"/>',
    ['<__proto__ constructor="" __proto__="">', '/'],
  ],
];
for (const [what, document, events] of accepted) {
  test(`well-formed: ${what}`, () => {
    for (const split of [[1 << 20], [1], [2], [3]]) {
      const outcome = read(document, { split });
      assert.equal(outcome.error, undefined);
      assert.deepEqual(outcome.events, events);
    }
  });
}

type Refusal = [document: string, at: number | [line: number, column: number], sentence: RegExp];

/** Documents that are refused, by their code: the place, and what the sentence must say. */
const refused: Readonly<Record<string, readonly Refusal[]>> = {
  malformed: [
    ['', 1, /root element is missing/],
    [' \n ', [2, 2], /root element is missing/],
    ['<!-- -->', 9, /root element is missing/],
    ['x', 1, /before the root element/],
    ['<a/>x', 5, /after the root element/],
    ['<a/>&amp;', 5, /after the root element/],
    ['<a/><b/>', 6, /one root element/],
    ['<a/></a>', 6, /outside any element/],
    ['<a>', 4, /ends too early; the element a is not closed/],
    ['<a', 3, /ends too early/],
    ['<a/><!--', 9, /ends too early/],
    ['<a>\n <b></a></b>', [2, 7], /end tag of a stands where the element b must end/],
    ['<a></>', 6, /Something else stands where the element a must end/],
    ['<a></ a>', 6, /where the element a must end/],
    ['<a></a b="">', 8, /end tag must end with '>'/],
    ['<a><</a>', 5, /'<' must begin a tag; write &lt;/],
    ['<1/>', 2, /'<' must begin a tag/],
    ['<a b/>', 5, /attribute b must have a value/],
    ['<a b=1/>', 6, /value of the attribute b must stand in quotes/],
    ['<a b="1"c="2"/>', 9, /White space must stand before an attribute/],
    ['<a b="<"/>', 7, /'<' must not stand in an attribute value/],
    ['<a b="1"\n b="2"/>', 2, /attribute b stands twice/],
    ['<a / >', 5, /'\/' in a tag must be followed by '>'/],
    ['<a>]]></a>', 4, /must not stand in text/],
    ['<a>&amp;]]></a>', 9, /must not stand in text/],
    ['<a>& b</a>', 5, /write &amp;/],
    ['<a>&lt b</a>', 7, /ends with ';'/],
    ['<a>\n&foo;</a>', [2, 1], /entity &foo; is not defined/],
    ['<a>&constructor;</a>', 4, /entity &constructor; is not defined/],
    ['<a>&#x;</a>', 4, /character reference &#x; is malformed/],
    ['<a>&#12a;</a>', 4, /character reference &#12a; is malformed/],
    ['<a>&#X41;</a>', 4, /character reference &#X41; is malformed/],
    ['<a>&#0;</a>', 4, /U\+0000 is not allowed/],
    ['<a>&#xFFFF;</a>', 4, /U\+FFFF is not allowed/],
    ['<a>&#x110000;</a>', 4, /is not allowed/],
    ['<a>&#99999999999999999999;</a>', 4, /is not allowed/],
    ['<a>&#xD83D;</a>', 4, /half of a surrogate pair/],
    ['<a>&#xD83D;x</a>', 4, /half of a surrogate pair/],
    ['<a>&#xD83D;<b/></a>', 4, /half of a surrogate pair/],
    ['<a>&#xDE00;&#xD83D;</a>', 4, /half of a surrogate pair/],
    ['<a b="&#xD83D;"/>', 7, /half of a surrogate pair/],
    ['<a b="&#xD83D;&lt;"/>', 15, /half of a surrogate pair/],
    ['<a>\u0001</a>', 4, /U\+0001 is not allowed/],
    ['<a>中\n中\u000b</a>', [2, 2], /U\+000B is not allowed/],
    ['<a>😀\uffff</a>', 6, /U\+FFFF is not allowed/],
    ['<!-- -- --><a/>', 6, /'--' must not stand in a comment/],
    ['<!-- --->', 6, /'--' must not stand in a comment/],
    ['<!- x --><a/>', 4, /comment begins with/],
    ['<![CDATA[x]]><a/>', 3, /only a comment or, inside an element, a CDATA section/],
    ['<a><![cdata[x]]></a>', 6, /only a comment or, inside an element, a CDATA section/],
    ['<a><!ELEMENT a ANY></a>', 6, /only a comment or/],
    ['<??><a/>', 3, /name of a processing instruction must follow/],
    ['<?p!?><a/>', 4, /White space must stand after the name/],
    [' <?xml version="1.0"?><a/>', 4, /must be the first thing/],
    ['<a><?XML x?></a>', 6, /must be the first thing/],
    ['<?xml?><a/>', 3, /must be the first thing/],
    ['<?xml version="1.0"><a/>', 1, /XML declaration is malformed/],
    ['<?xml encoding="utf-8"?><a/>', 1, /XML declaration is malformed/],
    [
      '<?xml version="1.0" standalone="yes" encoding="utf-8"?><a/>',
      1,
      /XML declaration is malformed/,
    ],
    ['<?xml version="1.0" standalone="maybe"?><a/>', 1, /XML declaration is malformed/],
    ['<?xml version="1.0"encoding="utf-8"?><a/>', 1, /XML declaration is malformed/],
    ['<?xml version="1.0" encoding="8utf"?><a/>', 1, /XML declaration is malformed/],
    ['<a xmlns:p="u:1" xmlns:p="u:2"/>', 2, /attribute xmlns:p stands twice/],
    ['\ufeff\ufeff<a/>', 1, /before the root element/],
    ['<p:a xmlns:p="u" xmlns:q="u"></q:a>', 32, /end tag of q:a stands where the element p:a/],
    ['<a xml:lang="" xml:lang=""/>', 2, /attribute xml:lang stands twice/],
    ['<a\u00a0b=""/>', 3, /White space must stand before/],
    ['<a\u3000b=""/>', 3, /White space must stand before/],
    ['<a\u2028b=""/>', 3, /White space must stand before/],
    ['<a &amp;/>', 4, /an attribute, '>' or '\/>'/],
    ['<a>&#xD83D;<!---->&#xDE00;</a>', 4, /half of a surrogate pair/],
    ['<a>&#xD83D;<![CDATA[]]>&#xDE00;</a>', 4, /half of a surrogate pair/],
    ['<a>&#xD83D;\u{1F600}</a>', 4, /half of a surrogate pair/],
    ['<a>&#xD83D;&#xD83D;&#xDE00;</a>', 12, /half of a surrogate pair/],
    ['<a>&#xD83D;', 12, /ends too early/],
    ['<a>&#', 6, /ends too early/],
    ['<a><![CDATA[x]]</a>', 20, /ends too early/],
    ['<a>< /a>', 5, /'<' must begin a tag/],
    ['<!doctype a><a/>', 3, /only a comment or/],
    ['<a/>\0', 5, /U\+0000 is not allowed/],
    ['<?xml version="1.0"?><?xml version="1.0"?><a/>', 24, /must be the first thing/],
    ['<?xml version="1.0" encoding=">"?><a/>', 1, /XML declaration is malformed/],
  ],
  version: [
    ['<?xml version="1.1"?><a/>', 1, /version 1\.1 is not read; send version 1\.0/],
    ['<?xml version="2.0"?><a/>', 1, /not in XML version 1\.0/],
  ],
  dtd: [
    ['<!DOCTYPE a><a/>', 3, /DTD is prohibited/],
    ['<?xml version="1.0"?>\n<!D', [2, 3], /DTD is prohibited/],
    ['<a><!DOCTYPE a></a>', 6, /DTD is prohibited/],
    ['<a/><!DOCTYPE a>', 7, /DTD is prohibited/],
  ],
  namespace: [
    ['<p:a/>', 2, /'p' is an undeclared prefix/],
    ['<a><b xmlns:p="u:p"/><b p:c=""/></a>', 23, /'p' is an undeclared prefix/],
    [
      '<a xmlns:p="u:1" xmlns:q="u:1" p:b="" q:b=""/>',
      2,
      /attribute b of the namespace u:1 stands twice/,
    ],
    ['<a xmlns:p=""/>', 2, /declaration of the prefix p is empty/],
    ['<a xmlns:xml="u:1"/>', 2, /belong to each other/],
    ['<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>', 2, /belong to each other/],
    ['<a xmlns="http://www.w3.org/XML/1998/namespace"/>', 2, /belong to each other/],
    ['<a xmlns:xmlns="u:1"/>', 2, /prefix xmlns must not be declared/],
    ['<a xmlns:p="http://www.w3.org/2000/xmlns/"/>', 2, /must not be declared/],
    ['<xmlns:a/>', 2, /prefix xmlns must not be used/],
    ['<a:/>', 2, /form prefix:local/],
    ['<:a/>', 2, /form prefix:local/],
    ['<a xmlns:p="u"><p:1/></a>', 17, /form prefix:local/],
    ['<a xmlns:p="u"><p:b:c/></a>', 17, /form prefix:local/],
    ['<a p:="1"/>', 2, /form prefix:local/],
    ['<?p:i x?><a/>', 3, /must not have a colon/],
    [
      `<a xmlns:p="x${'😀'.repeat(60)}" xmlns:q="x${'😀'.repeat(60)}" p:b="" q:b=""/>`,
      2,
      /attribute b of the namespace x(?:😀){49}\ufffd stands twice/u,
    ],
  ],
};
for (const [code, refusals] of Object.entries(refused)) {
  for (const [document, at, sentence] of refusals) {
    const [line, column] = typeof at === 'number' ? [1, at] : at;
    test(`malformed: ${JSON.stringify(document)} is refused with place and reason`, () => {
      for (const split of [[1 << 20], [1], [2], [3]]) {
        const { error } = read(document, { split });
        assert.ok(error !== undefined);
        assert.match(error.reason, sentence);
        assert.deepEqual([error.code, error.line, error.column], [code, line, column]);
        assert.equal(error.message, `${error.reason} Line ${line}, position ${column}.`);
      }
    });
  }
}

test('well-formed: two attributes of one name and namespace are refused, however many stand between them', () => {
  for (let between = 0; between <= 20; between++) {
    const others = Array.from({ length: between }, (_, i) => ` p:b${i}=""`).join('');
    const document = (last: string) =>
      `<a xmlns:p="u" xmlns:q="u" p:same=""${others} q:${last}=""/>`;
    assert.equal(read(document('same')).error?.code, 'namespace', `${between}`);
    assert.equal(read(document('other')).error, undefined, `${between}`);
  }
});
