/** Texts that nobody sees, in titles that are not empty. */
export const INVISIBLE = [
  '\u200b\u200b\u200b',
  '\u2060\u200d',
  '\u2800',
  '\u3164',
  '\u00ad',
  '\u200f',
  '\u{e0020}',
  '\ufeff\u00a0',
];

/** Markup, quotes, letters of other scripts and an emoji, in one line that all texts may be. */
export const HOSTILE_LINE = `<&>"' 漢字 한국어 😀`;

/** The same in two lines. */
export const HOSTILE_TEXT = `${HOSTILE_LINE}\n次の行`;

/** Markup, quotes, letters of another script and an emoji in one text. */
export const MIXED = `说 <script>window.evil=1</script> & "quotes" 'too' 🎉</title><!--`;

/** Texts that are markup, an address, or a formula where nobody takes care. Keys have at most 64 characters. */
export const MARKUP = [
  `'"><b data-evil hx-get=/ hx-trigger=load onclick=evil()>`,
  '</title></textarea><script>window.evil=1</script>',
  '<img src=x onerror=window.evil=1><iframe srcdoc=x></iframe>',
  'javascript:window.evil=1//https://x.example/',
  MIXED,
];
export const FORMULAS = ['=evil(1);@evil|1', 'x;=evil(1)'];

/** A text that turns what stands after it. */
export const TURNING = '\u202egpj.hcaeb';

/** Emoji of several code points each, more than a heading shows. */
export const EMOJI = '👨‍👩‍👧‍👦🏳️‍🌈'.repeat(40);

/** Texts that are wide: in letters without spaces between, in one word, in another direction. */
export const WIDE = [
  '漢'.repeat(200),
  'Donaudampfschifffahrt'.repeat(9),
  'مرحبا بكم في السوق '.repeat(9),
];

/** What callers write into titles, names and reasons: each page of people has to show it. */
export const HOSTILE_TITLES = [...INVISIBLE, ...MARKUP, ...FORMULAS, TURNING, EMOJI, ...WIDE];
