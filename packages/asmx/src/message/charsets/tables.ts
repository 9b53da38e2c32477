import { words } from '../../contract/words.ts';
import { CODE_PAGES } from './code-pages.ts';
import type { CharTable } from './table-decoder.ts';

/**
 * Charsets of one byte a character that .NET reads and `TextDecoder` does not know: those of DOS
 * consoles and Macs, and EBCDIC. Each table is the characters of its bytes, from the first that is
 * not ASCII's.
 */
export const TABLES: ReadonlyMap<string, CharTable> = (() => {
  const ibm437 = {
    encoding: 'ibm437',
    from: 0x80,
    chars:
      'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
      '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0',
  };
  const ibm850 = {
    encoding: 'ibm850',
    from: 0x80,
    chars:
      'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
      '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0',
  };
  const ibm037 = {
    encoding: 'ibm037',
    from: 0,
    chars:
      '\x00\x01\x02\x03\x9c\x09\x86\x7f\x97\x8d\x8e\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x9d\x85\x08\x87\x18\x19\x92\x8f\x1c\x1d\x1e\x1f\x80\x81\x82\x83\x84\x0a\x17\x1b\x88\x89\x8a\x8b\x8c\x05\x06\x07\x90\x91\x16\x93\x94\x95\x96\x04\x98\x99\x9a\x9b\x14\x15\x9e\x1a' +
      ' \xa0âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@\'="' +
      'Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×' +
      '{ABCDEFGHI\xadôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\x9f',
  };
  return new Map<string, CharTable>([
    ...CODE_PAGES.flatMap(({ names, ...table }) =>
      names.map((name) => [name, { from: 0x80, ...table }] as const),
    ),
    ...['ibm437', 'cp437', '437', 'cspc8codepage437'].map((name) => [name, ibm437] as const),
    ...['ibm850', 'cp850', '850', 'cspc850multilingual'].map((name) => [name, ibm850] as const),
    ...words('ibm037 cp037 ebcdic-cp-us ebcdic-cp-ca ebcdic-cp-wt ebcdic-cp-nl csibm037').map(
      (name) => [name, ibm037] as const,
    ),
  ]);
})();
