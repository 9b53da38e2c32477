/**
 * Removes the C headers that the npm package of Node brings along: 68 MB, for building native modules, of which there are
 * none here. `npm ci` runs this, under whatever Node there is.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules', 'node', 'node_modules');
for (const platform of existsSync(packages) ? readdirSync(packages) : []) {
  rmSync(join(packages, platform, 'include'), { recursive: true, force: true });
}
