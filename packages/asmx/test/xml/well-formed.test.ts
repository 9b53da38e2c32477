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

/** Documents that are refused: the code, the place, and what the sentence must say. */
const refused: readonly [
  document: string,
  code: string,
  line: number,
  column: number,
  sentence: RegExp,
][] = [
  ['', 'malformed', 1, 1, /root element is missing/],
  [' \n ', 'malformed', 2, 2, /root element is missing/],
  ['<!-- -->', 'malformed', 1, 9, /root element is missing/],
  ['x', 'malformed', 1, 1, /before the root element/],
  ['<a/>x', 'malformed', 1, 5, /after the root element/],
  ['<a/>&amp;', 'malformed', 1, 5, /after the root element/],
  ['<a/><b/>', 'malformed', 1, 6, /one root element/],
  ['<a/></a>', 'malformed', 1, 6, /outside any element/],
  ['<a>', 'malformed', 1, 4, /ends too early; the element a is not closed/],
  ['<a', 'malformed', 1, 3, /ends too early/],
  ['<a/><!--', 'malformed', 1, 9, /ends too early/],
  ['<a>\n <b></a></b>', 'malformed', 2, 7, /end tag of a stands where the element b must end/],
  ['<a></>', 'malformed', 1, 6, /Something else stands where the element a must end/],
  ['<a></ a>', 'malformed', 1, 6, /where the element a must end/],
  ['<a></a b="">', 'malformed', 1, 8, /end tag must end with '>'/],
  ['<a><</a>', 'malformed', 1, 5, /'<' must begin a tag; write &lt;/],
  ['<1/>', 'malformed', 1, 2, /'<' must begin a tag/],
  ['<a b/>', 'malformed', 1, 5, /attribute b must have a value/],
  ['<a b=1/>', 'malformed', 1, 6, /value of the attribute b must stand in quotes/],
  ['<a b="1"c="2"/>', 'malformed', 1, 9, /White space must stand before an attribute/],
  ['<a b="<"/>', 'malformed', 1, 7, /'<' must not stand in an attribute value/],
  ['<a b="1"\n b="2"/>', 'malformed', 1, 2, /attribute b stands twice/],
  ['<a / >', 'malformed', 1, 5, /'\/' in a tag must be followed by '>'/],
  ['<a>]]></a>', 'malformed', 1, 4, /must not stand in text/],
  ['<a>&amp;]]></a>', 'malformed', 1, 9, /must not stand in text/],
  ['<a>& b</a>', 'malformed', 1, 5, /write &amp;/],
  ['<a>&lt b</a>', 'malformed', 1, 7, /ends with ';'/],
  ['<a>\n&foo;</a>', 'malformed', 2, 1, /entity &foo; is not defined/],
  ['<a>&constructor;</a>', 'malformed', 1, 4, /entity &constructor; is not defined/],
  ['<a>&#x;</a>', 'malformed', 1, 4, /character reference &#x; is malformed/],
  ['<a>&#12a;</a>', 'malformed', 1, 4, /character reference &#12a; is malformed/],
  ['<a>&#X41;</a>', 'malformed', 1, 4, /character reference &#X41; is malformed/],
  ['<a>&#0;</a>', 'malformed', 1, 4, /U\+0000 is not allowed/],
  ['<a>&#xFFFF;</a>', 'malformed', 1, 4, /U\+FFFF is not allowed/],
  ['<a>&#x110000;</a>', 'malformed', 1, 4, /is not allowed/],
  ['<a>&#99999999999999999999;</a>', 'malformed', 1, 4, /is not allowed/],
  ['<a>&#xD83D;</a>', 'malformed', 1, 4, /half of a surrogate pair/],
  ['<a>&#xD83D;x</a>', 'malformed', 1, 4, /half of a surrogate pair/],
  ['<a>&#xD83D;<b/></a>', 'malformed', 1, 4, /half of a surrogate pair/],
  ['<a>&#xDE00;&#xD83D;</a>', 'malformed', 1, 4, /half of a surrogate pair/],
  ['<a b="&#xD83D;"/>', 'malformed', 1, 7, /half of a surrogate pair/],
  ['<a b="&#xD83D;&lt;"/>', 'malformed', 1, 15, /half of a surrogate pair/],
  ['<a>\u0001</a>', 'malformed', 1, 4, /U\+0001 is not allowed/],
  ['<a>中\n中\u000b</a>', 'malformed', 2, 2, /U\+000B is not allowed/],
  ['<a>😀\uffff</a>', 'malformed', 1, 6, /U\+FFFF is not allowed/],
  ['<!-- -- --><a/>', 'malformed', 1, 6, /'--' must not stand in a comment/],
  ['<!-- --->', 'malformed', 1, 6, /'--' must not stand in a comment/],
  ['<!- x --><a/>', 'malformed', 1, 4, /comment begins with/],
  ['<![CDATA[x]]><a/>', 'malformed', 1, 3, /only a comment or, inside an element, a CDATA section/],
  [
    '<a><![cdata[x]]></a>',
    'malformed',
    1,
    6,
    /only a comment or, inside an element, a CDATA section/,
  ],
  ['<a><!ELEMENT a ANY></a>', 'malformed', 1, 6, /only a comment or/],
  ['<??><a/>', 'malformed', 1, 3, /name of a processing instruction must follow/],
  ['<?p!?><a/>', 'malformed', 1, 4, /White space must stand after the name/],
  [' <?xml version="1.0"?><a/>', 'malformed', 1, 4, /must be the first thing/],
  ['<a><?XML x?></a>', 'malformed', 1, 6, /must be the first thing/],
  ['<?xml?><a/>', 'malformed', 1, 3, /must be the first thing/],
  ['<?xml version="1.0"><a/>', 'malformed', 1, 1, /XML declaration is malformed/],
  ['<?xml encoding="utf-8"?><a/>', 'malformed', 1, 1, /XML declaration is malformed/],
  [
    '<?xml version="1.0" standalone="yes" encoding="utf-8"?><a/>',
    'malformed',
    1,
    1,
    /XML declaration is malformed/,
  ],
  [
    '<?xml version="1.0" standalone="maybe"?><a/>',
    'malformed',
    1,
    1,
    /XML declaration is malformed/,
  ],
  ['<?xml version="1.0"encoding="utf-8"?><a/>', 'malformed', 1, 1, /XML declaration is malformed/],
  ['<?xml version="1.0" encoding="8utf"?><a/>', 'malformed', 1, 1, /XML declaration is malformed/],
  ['<?xml version="1.1"?><a/>', 'version', 1, 1, /version 1\.1 is not read; send version 1\.0/],
  ['<?xml version="2.0"?><a/>', 'version', 1, 1, /not in XML version 1\.0/],
  ['<!DOCTYPE a><a/>', 'dtd', 1, 3, /DTD is prohibited/],
  ['<?xml version="1.0"?>\n<!D', 'dtd', 2, 3, /DTD is prohibited/],
  ['<a><!DOCTYPE a></a>', 'dtd', 1, 6, /DTD is prohibited/],
  ['<p:a/>', 'namespace', 1, 2, /'p' is an undeclared prefix/],
  ['<a><b xmlns:p="u:p"/><b p:c=""/></a>', 'namespace', 1, 23, /'p' is an undeclared prefix/],
  [
    '<a xmlns:p="u:1" xmlns:q="u:1" p:b="" q:b=""/>',
    'namespace',
    1,
    2,
    /attribute b of the namespace u:1 stands twice/,
  ],
  ['<a xmlns:p="u:1" xmlns:p="u:2"/>', 'malformed', 1, 2, /attribute xmlns:p stands twice/],
  ['<a xmlns:p=""/>', 'namespace', 1, 2, /declaration of the prefix p is empty/],
  ['<a xmlns:xml="u:1"/>', 'namespace', 1, 2, /belong to each other/],
  [
    '<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>',
    'namespace',
    1,
    2,
    /belong to each other/,
  ],
  ['<a xmlns="http://www.w3.org/XML/1998/namespace"/>', 'namespace', 1, 2, /belong to each other/],
  ['<a xmlns:xmlns="u:1"/>', 'namespace', 1, 2, /prefix xmlns must not be declared/],
  ['<a xmlns:p="http://www.w3.org/2000/xmlns/"/>', 'namespace', 1, 2, /must not be declared/],
  ['<xmlns:a/>', 'namespace', 1, 2, /prefix xmlns must not be used/],
  ['<a:/>', 'namespace', 1, 2, /form prefix:local/],
  ['<:a/>', 'namespace', 1, 2, /form prefix:local/],
  ['<a xmlns:p="u"><p:1/></a>', 'namespace', 1, 17, /form prefix:local/],
  ['<a xmlns:p="u"><p:b:c/></a>', 'namespace', 1, 17, /form prefix:local/],
  ['<a p:="1"/>', 'namespace', 1, 2, /form prefix:local/],
  ['<?p:i x?><a/>', 'namespace', 1, 3, /must not have a colon/],
  ['\ufeff\ufeff<a/>', 'malformed', 1, 1, /before the root element/],
  [
    '<p:a xmlns:p="u" xmlns:q="u"></q:a>',
    'malformed',
    1,
    32,
    /end tag of q:a stands where the element p:a/,
  ],
  ['<a xml:lang="" xml:lang=""/>', 'malformed', 1, 2, /attribute xml:lang stands twice/],
  ['<a\u00a0b=""/>', 'malformed', 1, 3, /White space must stand before/],
  ['<a\u3000b=""/>', 'malformed', 1, 3, /White space must stand before/],
  ['<a\u2028b=""/>', 'malformed', 1, 3, /White space must stand before/],
  ['<a &amp;/>', 'malformed', 1, 4, /an attribute, '>' or '\/>'/],
  ['<a>&#xD83D;<!---->&#xDE00;</a>', 'malformed', 1, 4, /half of a surrogate pair/],
  ['<a>&#xD83D;<![CDATA[]]>&#xDE00;</a>', 'malformed', 1, 4, /half of a surrogate pair/],
  ['<a>&#xD83D;\u{1F600}</a>', 'malformed', 1, 4, /half of a surrogate pair/],
  ['<a>&#xD83D;&#xD83D;&#xDE00;</a>', 'malformed', 1, 12, /half of a surrogate pair/],
  ['<a>&#xD83D;', 'malformed', 1, 12, /ends too early/],
  ['<a>&#', 'malformed', 1, 6, /ends too early/],
  ['<a><![CDATA[x]]</a>', 'malformed', 1, 20, /ends too early/],
  ['<a>< /a>', 'malformed', 1, 5, /'<' must begin a tag/],
  ['<!doctype a><a/>', 'malformed', 1, 3, /only a comment or/],
  ['<a/><!DOCTYPE a>', 'dtd', 1, 7, /DTD is prohibited/],
  ['<a/>\0', 'malformed', 1, 5, /U\+0000 is not allowed/],
  ['<?xml version="1.0"?><?xml version="1.0"?><a/>', 'malformed', 1, 24, /must be the first thing/],
  ['<?xml version="1.0" encoding=">"?><a/>', 'malformed', 1, 1, /XML declaration is malformed/],
  [
    `<a xmlns:p="x${'😀'.repeat(60)}" xmlns:q="x${'😀'.repeat(60)}" p:b="" q:b=""/>`,
    'namespace',
    1,
    2,
    /attribute b of the namespace x(?:😀){49}\ufffd stands twice/u,
  ],
];
for (const [document, code, line, column, sentence] of refused) {
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

test('well-formed: two attributes of one name and namespace are refused, however many stand between them', () => {
  for (let between = 0; between <= 20; between++) {
    const others = Array.from({ length: between }, (_, i) => ` p:b${i}=""`).join('');
    const document = (last: string) =>
      `<a xmlns:p="u" xmlns:q="u" p:same=""${others} q:${last}=""/>`;
    assert.equal(read(document('same')).error?.code, 'namespace', `${between}`);
    assert.equal(read(document('other')).error, undefined, `${between}`);
  }
});
