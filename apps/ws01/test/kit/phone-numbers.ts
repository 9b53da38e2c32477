/**
 * Mobile numbers of countries as people write them: E.164, and as it is dialled at home. Ranges that are kept free for
 * films and tests where the country has some.
 */
export const NUMBERS_OF_COUNTRIES: readonly (readonly [
  country: string,
  number: string,
  home: string,
])[] = [
  ['US', '+12015550123', '(201) 555-0123'],
  ['CA', '+15062345678', '(506) 234-5678'],
  ['MX', '+525512345678', '55 1234 5678'],
  ['BR', '+5511961234567', '(11) 96123-4567'],
  ['AR', '+5491123456789', '011 15-2345-6789'],
  ['CL', '+56961234567', '9 6123 4567'],
  ['CO', '+573211234567', '321 1234567'],
  ['GB', '+447400123456', '07400 123456'],
  ['IE', '+353850123456', '085 012 3456'],
  ['FR', '+33612345678', '06 12 34 56 78'],
  ['DE', '+4915123456789', '01512 3456789'],
  ['IT', '+393123456789', '312 345 6789'],
  ['ES', '+34612345678', '612 34 56 78'],
  ['NL', '+31612345678', '06 12345678'],
  ['CH', '+41781234567', '078 123 45 67'],
  ['AT', '+43664123456', '0664 123456'],
  ['PL', '+48512345678', '512 345 678'],
  ['HU', '+36201234567', '06 20 123 4567'],
  ['SE', '+46701234567', '070-123 45 67'],
  ['RU', '+79123456789', '8 (912) 345-67-89'],
  ['UA', '+380501234567', '050 123 4567'],
  ['TR', '+905012345678', '0501 234 56 78'],
  ['EG', '+201001234567', '0100 123 4567'],
  ['ZA', '+27711234567', '071 123 4567'],
  ['NG', '+2348021234567', '0802 123 4567'],
  ['SA', '+966512345678', '051 234 5678'],
  ['IR', '+989123456789', '0912 345 6789'],
  ['IN', '+918123456789', '081234 56789'],
  ['CN', '+8613123456789', '131 2345 6789'],
  ['JP', '+819012345678', '090-1234-5678'],
  ['KR', '+821020000000', '010-2000-0000'],
  ['VN', '+84912345678', '0912 345 678'],
  ['ID', '+62812345678', '0812-345-678'],
  ['AU', '+61412345678', '0412 345 678'],
];

/** Calling codes; what stands behind one is the number without its trunk zero. */
export const CALLING_CODE = /^\+(1|7|20|27|3[0-469]|4\d|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** The digits of other scripts, and the marks that come with what is copied. */
const ARABIC = 0x660;
const PERSIAN = 0x6f0;
const DEVANAGARI = 0x966;
const FULL_WIDTH = 0xff10;
const inScript = (text: string, zero: number) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));

/** How people write a number: the text, by what is done to it. */
export function waysToWrite(number: string, home: string): Readonly<Record<string, string>> {
  const [, code = ''] = CALLING_CODE.exec(number) ?? [];
  const rest = number.slice(1 + code.length);
  return {
    'with +': number,
    'with 00': `00 ${code} ${rest}`,
    'with + and 00': `+00${code}${rest}`,
    'country code without +': `${code} ${rest}`,
    'at home': home,
    'at home, without trunk zero': rest,
    'trunk zero in brackets': `+${code} (0) ${rest}`,
    'hyphens and dots': `+${code}-${rest.slice(0, 3)}.${rest.slice(3)}`,
    'Arabic digits': inScript(home, ARABIC),
    'Persian digits': inScript(number, PERSIAN),
    'Devanagari digits': inScript(`00${code}${rest}`, DEVANAGARI),
    'marks of direction': `\u202a\u200e${number}\u202c`,
    'blanks that do not break': home.replaceAll(' ', '\u00a0'),
    'full-width, with the long vowel for a dash': inScript(home, FULL_WIDTH).replace(
      /[- ]/g,
      '\u30fc',
    ),
    'points in the middle, tildes, brackets': `[${home.replace(/[- ]/, '\u00b7').replace(/[- ]/, '~')}]`,
    'as a link': `tel:${number}`,
    'as a text of Excel, in a sentence': `'${home},`,
  };
}
