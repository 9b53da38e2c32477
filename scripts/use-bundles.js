/** `node --import` of this file: finds modules as quickly as `ws01` does in a working copy. */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cachedBundle, resolveNeighbour, resolveToBundle } from '../apps/ws01/bin/bundles.js';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
registerHooks({ resolve: resolveToBundle((name) => cachedBundle(name, modules)) });
registerHooks({ resolve: resolveNeighbour });
