import { fileURLToPath } from 'node:url';
import { MICROSOFT_TYPES, SOAP_ENCODING, XSD } from '../../xml/namespace-names.ts';
import { WsdlError } from '../wsdl-error.ts';
import { fetchDocument, nameOf, sourceUrl } from './fetch-document.ts';
import { isWellKnown } from './well-known.ts';
import { readXml, type XmlTree } from './xml-document.ts';

export const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
const WSDL_20 = 'http://www.w3.org/ns/wsdl';

/** How many documents one WSDL may consist of. */
const MAX_DOCUMENTS = 1_000;

/** Namespaces whose schemas are never read, not even from a file: what they declare is not made of types. */
const ALWAYS_BUILT_IN = new Set([
  XSD,
  WSDL,
  'http://www.w3.org/XML/1998/namespace',
  SOAP_ENCODING,
  'http://schemas.xmlsoap.org/soap/envelope/',
  'http://schemas.xmlsoap.org/wsdl/soap/',
  MICROSOFT_TYPES,
]);

/** A schema with the namespace that its components have: for an included one without its own, the including one's. */
export interface SchemaDocument {
  readonly root: XmlTree;
  readonly targetNamespace: string;
}

/** Every document of a WSDL. */
export interface LoadedWsdl {
  /** How the first document is called in messages. */
  readonly file: string;
  /** The first one comes first. */
  readonly definitions: readonly XmlTree[];
  readonly schemas: readonly SchemaDocument[];
  /** Why the schema of a namespace is not here, by namespace: it counts once something of it is used. */
  readonly absent: ReadonlyMap<string, WsdlError>;
}

/**
 * Reads a WSDL and everything that it imports and includes. Relative places are relative to the document that names
 * them. A WSDL that is a file never makes this process ask the network.
 * @param source a path, or an http or https URL.
 * @throws {WsdlError} `unreadable`
 */
export async function loadWsdl(source: string): Promise<LoadedWsdl> {
  const url = sourceUrl(source);
  return new Loader(url.protocol).load(url);
}

/** The same of a document that is in memory and stands alone. @throws {WsdlError} */
export async function loadWsdlText(text: string, name: string): Promise<LoadedWsdl> {
  return new Loader('none:').take(readXml(Buffer.from(text), name), undefined);
}

class Loader {
  readonly #protocol: string;
  readonly #definitions: XmlTree[] = [];
  readonly #schemas: SchemaDocument[] = [];
  readonly #absent = new Map<string, WsdlError>();
  readonly #read = new Map<string, Promise<XmlTree>>();
  /** Documents taken, with the namespace they were taken for. */
  readonly #taken = new Set<string>();

  constructor(protocol: string) {
    this.#protocol = protocol;
  }

  async load(url: URL): Promise<LoadedWsdl> {
    this.#enter(url, '');
    return this.take(await this.#document(url), url);
  }

  async take(root: XmlTree, url: URL | undefined): Promise<LoadedWsdl> {
    if (root.uri === WSDL_20) {
      throw new WsdlError('unsupported', root.file, '', 'This is WSDL 2.0; only WSDL 1.1 is read.');
    }
    if (root.uri !== WSDL || root.local !== 'definitions') {
      throw new WsdlError('unreadable', root.file, '', `This is no WSDL 1.1: its root is ${root.local || 'missing'}.`);
    }
    await this.#takeDefinitions(root, url);
    return { file: root.file, definitions: this.#definitions, schemas: this.#schemas, absent: this.#absent };
  }

  async #takeDefinitions(root: XmlTree, url: URL | undefined): Promise<void> {
    this.#definitions.push(root);
    for (const types of root.of(WSDL, 'types')) {
      for (const schema of types.of(XSD, 'schema')) {
        await this.#takeSchema(schema, schema.attribute('targetNamespace') ?? '', url);
      }
    }
    for (const statement of root.of(WSDL, 'import')) {
      const place = statement.attribute('location');
      if (place === undefined) continue;
      const target = this.#place(statement, place, url);
      if (!this.#enter(target, '')) continue;
      const imported = await this.#document(target, root.file);
      if (imported.uri === XSD) {
        await this.#takeSchema(imported, imported.attribute('targetNamespace') ?? '', target);
      } else if (imported.uri === WSDL && imported.local === 'definitions') {
        await this.#takeDefinitions(imported, target);
      } else throw new WsdlError('unreadable', imported.file, '', `This is neither WSDL 1.1 nor a schema.`);
    }
  }

  async #takeSchema(root: XmlTree, targetNamespace: string, url: URL | undefined): Promise<void> {
    this.#schemas.push({ root, targetNamespace });
    for (const statement of root.of(XSD, 'import', 'include', 'redefine')) {
      if (statement.local === 'redefine') {
        throw new WsdlError('unsupported', root.file, 'schema', 'xs:redefine is not held; write the types out.');
      }
      const place = statement.attribute('schemaLocation');
      const imported = statement.local === 'import';
      // Without a place the schema is one of the others here, or well known.
      if (place === undefined || (imported && isBuiltIn(statement.attribute('namespace') ?? '', place))) continue;
      const target = imported ? this.#imported(statement, place, url) : this.#place(statement, place, url);
      const namespace = imported ? undefined : targetNamespace;
      if (target === undefined || !this.#enter(target, namespace ?? '')) continue;
      const schema = await this.#document(target, root.file);
      if (schema.uri !== XSD || schema.local !== 'schema') {
        throw new WsdlError('unreadable', schema.file, '', `This is no XML Schema: its root is ${schema.local}.`);
      }
      await this.#takeSchema(schema, namespace ?? schema.attribute('targetNamespace') ?? '', target);
    }
  }

  /** The place of an imported schema; `undefined` for one on the network that a file imports, which may never be used. */
  #imported(statement: XmlTree, place: string, url: URL | undefined): URL | undefined {
    const namespace = statement.attribute('namespace') ?? '';
    try {
      return this.#place(statement, place, url);
    } catch (error) {
      if (!(error instanceof WsdlError) || !/^https?:/i.test(place.trim())) throw error;
      if (!this.#absent.has(namespace)) this.#absent.set(namespace, error);
      return undefined;
    }
  }

  #place(statement: XmlTree, place: string, base: URL | undefined): URL {
    const refuse = (reason: string) => new WsdlError('unreadable', statement.file, statement.local, reason);
    if (base === undefined) throw refuse(`${place} cannot be read: this document stands alone.`);
    const target = URL.parse(place.trim().replaceAll('\\', '/'), base);
    if (target === null) throw refuse(`${place} is not a place.`);
    target.hash = '';
    const web = target.protocol === 'http:' || target.protocol === 'https:';
    if (web && this.#protocol === 'file:') {
      throw refuse(`${place} is on the network; save it beside this file and name it there, or give the WSDL's URL.`);
    }
    // A document from the network names no file of this machine.
    if (!web && (this.#protocol !== 'file:' || !isLocalFile(target))) throw refuse(`${place} cannot be read.`);
    return target;
  }

  #enter(target: URL, namespace: string): boolean {
    const key = `${target.href} ${namespace}`;
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }

  /** @param importer the document that names it; absent for the one that a person named. */
  #document(url: URL, importer?: string): Promise<XmlTree> {
    const known = this.#read.get(url.href);
    if (known !== undefined) return known;
    if (this.#read.size >= MAX_DOCUMENTS) {
      throw new WsdlError('unreadable', nameOf(url), '', `A WSDL may consist of at most ${MAX_DOCUMENTS} documents.`);
    }
    const reading = fetchDocument(url, importer === undefined, importer).then((bytes) => readXml(bytes, nameOf(url)));
    this.#read.set(url.href, reading);
    return reading;
  }
}

/** Whether an imported schema is ours to know: one in a file of the user's own is read all the same. */
function isBuiltIn(namespace: string, place: string): boolean {
  return isWellKnown(namespace) && (ALWAYS_BUILT_IN.has(namespace) || /^https?:/i.test(place.trim()));
}

/** Whether a URL names a file by a path of this machine. */
function isLocalFile(url: URL): boolean {
  if (url.protocol !== 'file:') return false;
  try {
    return !fileURLToPath(url).includes('\0');
  } catch {
    return false;
  }
}
