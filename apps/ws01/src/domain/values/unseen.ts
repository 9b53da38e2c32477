/** Blanks, controls and characters without width; U+2800 is an empty Braille cell. */
export const UNSEEN = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether a text has a character that people see. */
export const isSeen = (text: string): boolean => text.replace(UNSEEN, '') !== '';
