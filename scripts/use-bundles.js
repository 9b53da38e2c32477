/** `node --import` of this file: takes the bundles of libraries, as `ws01` does in a working copy. */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cachedBundle, resolveToBundle } from '../apps/ws01/bin/bundles.js';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
registerHooks({ resolve: resolveToBundle((name) => cachedBundle(name, modules)) });
