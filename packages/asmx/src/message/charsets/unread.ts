import { ProtocolError } from '../../contract/errors.ts';

/** EBCDIC, by number. */
const EBCDIC =
  /^(?:cs|x-)?(?:ibm|cp)-?0*(?:290|273|27[78]|28[045]|297|42[034]|500|87[015]|880|905|924|102[56]|1047|114\d)$/;
const OTHERS = [
  /^x-ebcdic-/,
  /^ibm-thai$/,
  /^x-mac-(?:japanese|chinesetrad|chinesesimp|korean|arabic|hebrew|thai)$/,
  /^x-chinese-/,
  /^x-cp(?:2000[1345]|20261|20269|50227)$/,
  /^x-ia5/,
  /^x-iscii-/,
  /^x-europa$/,
  /^johab$/,
  /^iso-2022-(?:kr|cn)$/,
  /^hz-gb-2312$/,
];

/**
 * Whether a charset is one of those that .NET Framework writes and nobody reads here. As UTF-8 many
 * of their letters would be others, and no byte would tell.
 */
export function isUnreadCharset(name: string): boolean {
  const label = name.trim().toLowerCase();
  return EBCDIC.test(label) || OTHERS.some((names) => names.test(label));
}

/** @throws {ProtocolError} UnsupportedMediaType for a request in such a charset. */
export function refuseUnreadCharset(name: string | undefined): void {
  if (name === undefined || !isUnreadCharset(name)) return;
  const message = `Texts in the charset ${name.trim().slice(0, 40)} are not read; send UTF-8.`;
  throw new ProtocolError('UnsupportedMediaType', message, { status: 415 });
}
