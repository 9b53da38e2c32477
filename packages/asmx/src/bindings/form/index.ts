import type { Binding } from '../../engine/exchange.ts';
import { matchGet, matchPost } from './match.ts';
import { readGet, readPost } from './read.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';

/** HTTP GET and HTTP POST: the same names and values, from the query or from the body. */
export const get: Binding = { match: matchGet, read: readGet, writeResult, writeError };
export const post: Binding = { match: matchPost, read: readPost, writeResult, writeError };
