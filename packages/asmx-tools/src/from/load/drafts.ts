import { XSD } from '@ws01/asmx/internal/xml/namespace-names';
import type { ScalarType } from '../normal-form.ts';

/**
 * A namespace, or that of XML Schema for one of its drafts of 1999 and 2000, which are read as
 * it.
 */
export function withoutDraft(uri: string): string {
  return /^http:\/\/www\.w3\.org\/(1999|2000\/10)\/XMLSchema$/.test(uri) ? XSD : uri;
}

/** Types of the drafts that have other names since. */
export const TYPES_OF_DRAFTS: Readonly<Record<string, ScalarType>> = {
  timeInstant: 'dateTime',
  timeDuration: 'duration',
  uriReference: 'anyURI',
  binary: 'base64Binary',
  CDATA: 'normalizedString',
  'ur-type': 'anyType',
};
