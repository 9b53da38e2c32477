import type { Binding } from '../../exchange/binding.ts';
import { SOAP_NAMES } from '../../exchange/soap-version.ts';
import { match } from './match.ts';
import { read } from './read.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';

/** SOAP 1.1 and SOAP 1.2: one code; `version.ts` holds their differences. */
export const soap: Binding = { names: SOAP_NAMES, match, read, writeResult, writeError };
