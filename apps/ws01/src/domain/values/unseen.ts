/**
 * Blanks, controls and characters that show nothing. Those by their code points are empty by their
 * glyph alone: a cell of Braille, a filler of Khitan, a note head, two blanks of hieroglyphs.
 */
export const UNSEEN =
  /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}\u{13441}\u{13442}]/gu;

/** Whether a text has a character that people see. */
export const isSeen = (text: string): boolean => text.replace(UNSEEN, '') !== '';
