import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Arguments of a Node process that runs the sources; it finds their modules as quickly as `ws01` does. */
export const SOURCE_ARGUMENTS: readonly string[] = [
  '--conditions=ws01-source',
  `--import=${pathToFileURL(resolve(import.meta.dirname, '../../../../scripts/use-bundles.js')).href}`,
];

/** For its environment: without what the engine made of the sources, a start takes three times the processor time. */
export const COMPILED: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined
    ? {}
    : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
