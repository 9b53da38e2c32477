import type { Binding } from '../../engine/binding.ts';
import { matchGet, matchPost } from './match.ts';
import { readGet, readPost } from './read.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';

/** HTTP GET and HTTP POST: the same names and values, from the query or from the body. */
export const get: Binding = { names: ['get'], form: 'text', match: matchGet, read: readGet, writeResult, writeError };
export const post: Binding = {
  names: ['post'],
  form: 'text',
  match: matchPost,
  read: readPost,
  writeResult,
  writeError,
};
