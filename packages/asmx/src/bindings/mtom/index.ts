import type { Binding } from '../../engine/binding.ts';
import { writeError } from '../soap/write-error.ts';
import { writeResult } from '../soap/write-result.ts';
import { match } from './match.ts';
import { read } from './read.ts';

/** SOAP requests whose files stand beside the envelope (MTOM, XOP), in both versions. Answers are SOAP without attachments. */
export const mtom: Binding = { form: 'element', match, read, writeResult, writeError };
