import type { Binding } from '../../engine/binding.ts';
import { SOAP_NAMES } from '../soap/version.ts';
import { match } from './match.ts';
import { read } from './read.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';

/** SOAP requests whose files stand beside the envelope (MTOM, XOP), in both versions. */
export const mtom: Binding = { names: SOAP_NAMES, form: 'element', match, read, writeResult, writeError };
