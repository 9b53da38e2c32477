import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { importsOf, typescriptOf } from '../../src/describe/typescript.ts';
import { compile } from '../kit/compile.ts';
import { writeStrictProject } from '../kit/programs.ts';
import { Weather } from './sample.ts';

describe('the types of a contract as TypeScript', () => {
  const text = typescriptOf(Weather);

  it('say what values there are', () => {
    for (const line of [
      "export type Condition = 'Sunny' | 'Cloudy' | 'Rain';",
      "export type Days = readonly ('Monday' | 'Tuesday' | 'Friday')[];",
      'export type ArrayOfNullableOfInt = readonly (number | null)[];',
      'export interface Tree {\n  readonly name?: string | undefined;\n  readonly children?: ArrayOfTree | undefined;\n}',
      "export interface Dog extends Omit<Animal, '$type'> {\n  readonly $type: 'Dog';\n  readonly barks: boolean;\n}",
      'readonly input: { readonly city?: string | undefined; readonly days: number; };',
      'readonly result: { readonly value?: boolean | Refusal; readonly out: { readonly value: number; readonly rest?: string | undefined; } };',
    ]) {
      assert.ok(text.includes(line), `${line}\nis not in\n${text}`);
    }
  });

  it('are those of the handlers that the words of a contract compute', async (test) => {
    const folder = await mkdtemp(join(import.meta.dirname, 'typescript-'));
    test.after(() => rm(folder, { recursive: true }));
    const source = `import { createEndpoint, typedService, type ServiceHandlers } from '../../../src/index.ts';
import type { ${importsOf(Weather).join(', ')} } from '../../../src/index.ts';
import { Weather } from '../sample.ts';
${text}
const typed = typedService<Operations>(Weather);
type Built = typeof Weather extends { readonly '~operations'?: infer O } ? O : never;
declare const built: ServiceHandlers<Built, undefined>;
export const printed: ServiceHandlers<Operations, undefined> = built;
export const endpoint = createEndpoint(typed, { path: '/x.asmx', handlers: printed });
`;
    await writeFile(join(folder, 'printed.ts'), source);
    await writeStrictProject(folder);
    const { stdout, code } = await compile(folder);
    assert.deepEqual([stdout, code], ['', 0]);
  });
});
