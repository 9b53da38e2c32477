import { WsdlError } from '../wsdl-error.ts';

/** Whether a namespace is that of a draft of XML Schema. */
export function isDraft(uri: string): boolean {
  return /^http:\/\/www\.w3\.org\/(1999|2000\/10)\/XMLSchema$/.test(uri);
}

/** @param at the element that is of the draft. */
export function draftError(
  uri: string,
  { file, path }: { readonly file: string; readonly path: string },
): WsdlError {
  return new WsdlError(
    'unsupported',
    file,
    path,
    `${uri} is a draft of XML Schema; only that of 2001 is read.`,
  );
}
