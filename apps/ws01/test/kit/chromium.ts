import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';

const MODULES = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));
const PACKAGE = '@sparticuz/chromium';

/**
 * Starts a headless Chromium that comes with the development dependencies; nothing else need be installed. The caller
 * closes it. Its security is a real browser's (no flag switches off the same-origin policy or CSP), but for the
 * sandbox, which neither root nor many containers can have; the tests open only pages of our own.
 */
export function launchChromium(): Promise<Browser> {
  const folder = unpackedChromium();
  const executablePath = join(folder, 'chromium');
  return chromium.launch({
    executablePath,
    args: ['--disable-dev-shm-usage', '--font-render-hinting=none'],
    chromiumSandbox: false,
    timeout: PATIENCE_MS,
    env: {
      ...definedOnly(process.env),
      ...bundledLibraries(folder, executablePath),
      ...bundledFonts(folder),
    },
  });
}

/** A profile of its own, whose pages wait for as long as tests do; the library's half minute is too short for a busy machine. */
export async function newContext(
  browser: Browser,
  options?: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  context.on('page', boundEvaluation);
  return context;
}

/** The library waits for ever for what a page evaluates, such as the next frame of a browser that draws none. */
function boundEvaluation(page: Page): void {
  const evaluate = page.evaluate.bind(page) as (...asked: unknown[]) => Promise<unknown>;
  Object.assign(page, {
    evaluate(...asked: unknown[]) {
      const late = Promise.withResolvers<never>();
      const told = () => late.reject(new Error(`${page.url()} does not answer ${asked[0]}`));
      const limit = setTimeout(told, PATIENCE_MS);
      return Promise.race([evaluate(...asked), late.promise]).finally(() => clearTimeout(limit));
    },
  });
}

/**
 * The folder with Chromium and what is bundled with it, unpacked once an installation. The package itself unpacks into
 * the temporary folder and takes for complete whatever it finds there, also what another process is still writing: so
 * each process unpacks into a folder of its own, and the first to finish gives it the final name.
 */
function unpackedChromium(): string {
  const { version } = JSON.parse(readFileSync(join(MODULES, PACKAGE, 'package.json'), 'utf8'));
  const cache = join(MODULES, '.cache');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, 'chromium-unpacking-'));
  const script = `import('${PACKAGE}').then(({ default: chromium }) => chromium.executablePath())`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    // It unpacks the bundled libraries only where it believes itself to be in a Lambda.
    env: { ...process.env, TMPDIR: own, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
    cwd: MODULES,
  });
  const fonts = join(folder, 'fonts');
  writeFileSync(
    join(own, 'fonts', 'fonts.conf'),
    `<fontconfig><dir>${fonts}</dir><cachedir>${join(fonts, 'cache')}</cachedir></fontconfig>`,
  );
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Where the machine lacks a library that Chromium is linked with (which the loader itself knows), the bundled ones. */
function bundledLibraries(folder: string, executablePath: string): Record<string, string> {
  if (!execFileSync('ldd', [executablePath], { encoding: 'utf8' }).includes('not found')) return {};
  return {
    LD_LIBRARY_PATH: [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH]
      .filter(Boolean)
      .join(':'),
  };
}

/** Where the machine has no fonts, the bundled ones. */
function bundledFonts(folder: string): Record<string, string> {
  return existsSync('/etc/fonts/fonts.conf')
    ? {}
    : { FONTCONFIG_FILE: join(folder, 'fonts', 'fonts.conf') };
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
