import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReaderAttack } from '../../apps/ws01/test/security/kit/reader-attacks.ts';
import { fill, post, SOAP, soap } from '../../apps/ws01/test/security/kit/requests.ts';
import { run } from '../../packages/asmx-tools/src/from/cli/main.ts';
import { wsdlOf } from '../../packages/asmx-tools/test/from/kit/documents.ts';

const MODULES = fileURLToPath(new URL('../../node_modules/@ws01', import.meta.url));

/** Facets as contracts have them, by the type they are of. */
const FACETS: Readonly<Record<string, readonly [base: string, facets: string]>> = {
  Name: ['string', '<s:minLength value="1"/><s:maxLength value="100"/>'],
  Email: ['string', String.raw`<s:pattern value="([A-Za-z0-9_\-]+\.?)+@([A-Za-z0-9\-]+\.?)+"/>`],
  Code: ['string', String.raw`<s:pattern value="\s*\w*\s*\w*\s*\w*\s*"/>`],
  Word: ['string', '<s:pattern value="(a|b)*a(a|b){500}"/>'],
  Amount: ['decimal', '<s:totalDigits value="9"/><s:fractionDigits value="2"/>'],
  Count: ['int', '<s:minInclusive value="1"/><s:maxExclusive value="10"/>'],
};

/** Texts that facets were slow for, or could be; each of about so many bytes. */
const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  'zeros and an x': (n) => `${'0'.repeat(n)}x`,
  'a fraction of zeros': (n) => `1.${'0'.repeat(n)}1`,
  'letters and a !': (n) => `${'a'.repeat(n)}!`,
  'two letters in turn': (n) => fill('aab', n),
  blanks: (n) => ' '.repeat(n),
  'characters of four bytes': (n) => fill('\u{20000}', n),
};

/** Each text in a value of each type: anonymous calls of a server that `asmx from` made. */
export const FACET_ATTACKS: readonly ReaderAttack[] = Object.keys(FACETS).flatMap((name) =>
  Object.entries(TEXTS).map(([text, make]) => ({
    name: `facets of ${name}: ${text}`,
    make: (bytes: number) => {
      const value = `<${name} xmlns="urn:old">${make(bytes)}</${name}>`;
      return post(
        '/Old.asmx',
        { ...SOAP, SOAPAction: '"urn:old/Ask"' },
        soap(value, 'Ask', 'urn:old'),
      );
    },
  })),
);

/** Generates the server, as `asmx from` does for anybody. @returns its module, and how it is removed. */
export async function generateServer(): Promise<{
  readonly module: string;
  readonly remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-generated-'));
  const types = Object.entries(FACETS).map(
    ([name, [base, facets]]) =>
      `<s:simpleType name="${name}"><s:restriction base="s:${base}">${facets}</s:restriction></s:simpleType>`,
  );
  const wsdl = wsdlOf({
    schema: types.join(''),
    asks: Object.keys(FACETS)
      .map((name) => `<s:element minOccurs="0" name="${name}" type="t:${name}"/>`)
      .join(''),
    answers: '<s:element minOccurs="0" name="AskResult" type="s:string"/>',
  });
  await writeFile(join(folder, 'old.wsdl'), wsdl);
  const project = join(folder, 'project');
  let said = '';
  const code = await run(['from', join(folder, 'old.wsdl'), project], {
    print: () => {},
    remark: (line) => {
      said += line;
    },
    environment: {},
    stop: new AbortController().signal,
  });
  if (code !== 0) throw new Error(said);
  await mkdir(join(project, 'node_modules'), { recursive: true });
  await symlink(MODULES, join(project, 'node_modules', '@ws01'));
  return {
    module: join(project, 'src/server.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
