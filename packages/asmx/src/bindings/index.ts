import type { Binding } from '../exchange/binding.ts';
import { get, post } from './form/index.ts';
import { json } from './json/index.ts';
import { mtom } from './mtom/index.ts';
import { soap } from './soap/index.ts';

/** The bindings, in the order of matching. */
export const BINDINGS: readonly Binding[] = [mtom, soap, json, get, post];

/** Writes the errors of requests that match no binding. */
export const FALLBACK_BINDING: Binding = get;
