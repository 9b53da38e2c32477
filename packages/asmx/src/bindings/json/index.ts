import type { Binding } from '../../exchange/binding.ts';
import { match } from './match.ts';
import { read } from './read.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';

/** The JSON binding, as in ASP.NET's script services: arguments in one object, the result in `d`. */
export const json: Binding = { names: ['json'], match, read, writeResult, writeError };
