import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { XmlDocument, XmlElement, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';

const XSD = 'http://www.w3.org/2001/XMLSchema';
xmlRegisterFsInputProviders();

/**
 * What libxml2 finds wrong in the body of an envelope by the schemas of its own WSDL: a judge that neither npm soap
 * nor this engine is. Imports are those that the files would need: samples name wrong namespaces in theirs.
 * @param folder the sample. @returns `undefined` for nothing, or where the schemas cannot be read.
 */
export function wrongByOwnSchema(folder: string, envelope: string): string | undefined {
  const work = mkdtempSync(join(tmpdir(), 'own-schema-'));
  try {
    const validator = validatorOf(folder, work);
    if (validator === undefined) return undefined;
    using document = XmlDocument.fromString(envelope.trim());
    const body = childrenOf(document.root).find(({ name }) => name === 'Body');
    for (const element of body === undefined ? [] : childrenOf(body)) validator.validate(element);
    return undefined;
  } catch (error) {
    const [first] = (error as Error).message.trim().split('\n');
    // The element of an operation in rpc style is in no schema.
    const isRpc = readFileSync(join(folder, 'soap.wsdl'), 'utf8').includes('style="rpc"');
    return isRpc && first!.includes('No matching global') ? undefined : first;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function validatorOf(folder: string, work: string): XsdValidator | undefined {
  try {
    const main = join(work, 'all.xsd');
    writeSchemas(folder, work, main);
    using schema = XmlDocument.fromString(readFileSync(main, 'utf8'), { url: main });
    return XsdValidator.fromDoc(schema);
  } catch {
    return undefined;
  }
}

/** One file a namespace, and one that imports them all. */
function writeSchemas(folder: string, work: string, main: string): void {
  const schemas = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(wsdl|xsd)$/.test(name))
    .flatMap((name) => schemasIn(readFileSync(join(folder, name), 'utf8')));
  const spaces = Map.groupBy(schemas, ({ space }) => space);
  const fileOf = new Map([...spaces.keys()].map((space, at) => [space, `${at}.xsd`]));
  const imports = (except?: string) =>
    [...fileOf]
      .filter(([space]) => space !== except && space !== '')
      .map(
        ([space, file]) =>
          `<x:import xmlns:x="${XSD}" namespace="${space}" schemaLocation="${file}"/>`,
      )
      .join('');
  for (const [space, all] of spaces) {
    const [first, ...more] = all.map(({ text }, at) => {
      const name = at === 0 ? fileOf.get(space)! : `${at}-${fileOf.get(space)}`;
      const own = text.replace(/<([\w]+:)?(import|include)\b[^>]*?(\/>|>[^<]*<\/[^>]+>)/g, '');
      return { name, text: own };
    });
    const includes = more
      .map(({ name }) => `<x:include xmlns:x="${XSD}" schemaLocation="${name}"/>`)
      .join('');
    const withImports = (text: string, before: string) =>
      text.replace(/^<[^>]*[^/]>/, (start) => `${start}${before}${imports(space)}`);
    writeFileSync(join(work, first!.name), withImports(first!.text, includes));
    for (const { name, text } of more) writeFileSync(join(work, name), withImports(text, ''));
  }
  writeFileSync(main, `<x:schema xmlns:x="${XSD}">${imports()}</x:schema>`);
}

/** The schemas of a WSDL or XSD, each with the prefixes that are declared around it. */
function schemasIn(text: string): { readonly space: string; readonly text: string }[] {
  const withoutComments = text.replace(/<!--.*?-->/gs, '');
  const outer = /<(?:\w+:)?definitions\b[^>]*>/.exec(withoutComments)?.[0] ?? '';
  const found = withoutComments.matchAll(/<((?:\w+:)?schema)\b([^>]*[^/>])?>.*?<\/\1\s*>/gs);
  return [...found].map(([whole, name, attributes = '']) => {
    const prefixes = [...outer.matchAll(/\sxmlns(?::[\w.-]+)?\s*=\s*["'][^"']*["']/g)]
      .map(([declared]) => declared)
      .filter((declared) => !attributes.includes(`${declared.split('=')[0]!.trim()}=`));
    const rest = whole.slice(name!.length + 1);
    const space = /\stargetNamespace\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1] ?? '';
    return { space, text: `<${name}${prefixes.join('')}${rest}` };
  });
}

function childrenOf(element: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  for (let at = element.firstChild; at !== null; at = at.next)
    if (at instanceof XmlElement) found.push(at);
  return found;
}
