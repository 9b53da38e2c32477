import type { Binding } from '../../exchange/binding.ts';
import { matchGet, matchPost } from './match.ts';
import { readGet, readPost } from './read.ts';
import { writeError } from './write-error.ts';
import { writeResult } from './write-result.ts';

/** The binding of HTTP GET and POST: names and values in the query or in the body. */
export const get: Binding = {
  names: ['get'],
  match: matchGet,
  read: readGet,
  writeResult,
  writeError,
};
export const post: Binding = {
  names: ['post'],

  match: matchPost,
  read: readPost,
  writeResult,
  writeError,
};
