import type { Binding } from '../../exchange/binding.ts';
import { SOAP_NAMES } from '../../exchange/soap-version.ts';
import { match } from './match.ts';
import { read } from './read.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';

/** The MTOM binding: SOAP requests of both versions with files in parts beside the envelope (MTOM, XOP). */
export const mtom: Binding = { names: SOAP_NAMES, match, read, writeResult, writeError };
