import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** What a bundler makes of a program, minified and compressed; bytes. */
async function bundled(program: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['ws01-source'],
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
}

/**
 * Most bytes of each: about a tenth more than on the day of the test. Of the endpoint's 125 kB a third is pages, WSDL,
 * OpenAPI and old charsets. They are not loaded apart: an edge takes 1 MB and more of compressed code, and bundlers put what
 * is imported later into the same file.
 */
const BUDGETS = {
  'an endpoint with fetch': [
    138_000,
    `import { createEndpoint, operation, service, string } from '@ws01/asmx';
     import { fetchHandler } from '@ws01/asmx/fetch';
     const Greet = operation({ input: { name: string }, result: string });
     const Hello = service('Hello', { namespace: 'urn:hello', operations: { Greet } });
     const handlers = { Greet: ({ name }) => 'Hello ' + name };
     export const serve = fetchHandler(createEndpoint(Hello, { path: '/Hello.asmx', handlers }));`,
  ],
  'a contract alone, as clients share it': [
    4_000,
    `import { operation, service, string } from '@ws01/asmx/contract';
     const Greet = operation({ input: { name: string }, result: string });
     export const Hello = service('Hello', { namespace: 'urn:hello', operations: { Greet } });`,
  ],
  'the client of JSON': [
    4_000,
    `export { createClient } from './packages/asmx-tools/src/client/index.ts';`,
  ],
} as const;

for (const [what, [most, program]] of Object.entries(BUDGETS))
  it(`${what} takes at most ${most} bytes`, async (test) => {
    const bytes = await bundled(program);
    test.diagnostic(`${bytes} bytes`);
    assert.ok(bytes <= most, `${bytes} bytes`);
  });
