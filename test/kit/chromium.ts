import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** Where the browser is unpacked, once an installation: `npm ci` clears it. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/**
 * Starts a headless Chromium that comes with the development dependencies; nothing else need be installed. The caller
 * closes it. Its security is a real browser's (no flags that switch off same-origin policy or CSP), but for the
 * sandbox where the tests run as root, which Chromium refuses.
 */
export function launchChromium(): Promise<Browser> {
  const folder = unpackedChromium();
  const executablePath = join(folder, 'chromium');
  const libraries = join(folder, 'al2023', 'lib');
  const inherited = definedOnly(process.env);
  return chromium.launch({
    executablePath,
    args: ['--disable-dev-shm-usage', '--font-render-hinting=none'],
    chromiumSandbox: process.getuid?.() !== 0,
    env: lacksLibraries(executablePath)
      ? { ...inherited, LD_LIBRARY_PATH: [libraries, inherited.LD_LIBRARY_PATH].filter(Boolean).join(':') }
      : inherited,
  });
}

/**
 * The folder with Chromium and the libraries bundled with it. The package unpacks into the temporary folder and takes
 * for complete whatever it finds there, also what another process is writing: so each process unpacks into a folder
 * of its own, and the first one to finish gives it the final name.
 */
function unpackedChromium(): string {
  mkdirSync(CACHE, { recursive: true });
  const folder = join(CACHE, 'chromium');
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(join(CACHE, 'chromium-unpacking-'));
  const script = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())";
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    // It unpacks the bundled libraries only where it believes itself to be in a Lambda.
    env: { ...process.env, TMPDIR: own, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Whether the machine lacks a library that Chromium is linked with; asked of the loader itself. */
function lacksLibraries(executablePath: string): boolean {
  return execFileSync('ldd', [executablePath], { encoding: 'utf8' }).includes('not found');
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
