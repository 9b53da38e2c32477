import { fileURLToPath } from 'node:url';
import {
  MICROSOFT_TYPES,
  SOAP_ENCODING,
  SOAP_ENVELOPE,
  XML,
  XSD,
} from '@ws01/asmx/internal/xml/namespace-names';
import { MissingDocument, WsdlError } from '../wsdl-error.ts';
import {
  DocumentServers,
  type FetchedDocument,
  nameOf,
  placesAbove,
  readDocument,
  sourceUrl,
} from './fetch-document.ts';
import { type LoadLimits, loadLimits } from './limits.ts';
import { isWellKnown, wellKnownWsdl } from './well-known.ts';
import { readXml, TOO_MANY_NODES, WSDL, type XmlTree } from './xml-document.ts';

export { WSDL } from './xml-document.ts';

const WSDL_20 = 'http://www.w3.org/ns/wsdl';

/**
 * Namespaces whose schemas are never read, not even from a file: what they declare is not made of
 * types.
 */
const ALWAYS_BUILT_IN = new Set([
  XSD,
  WSDL,
  XML,
  SOAP_ENCODING,
  SOAP_ENVELOPE,
  'http://schemas.xmlsoap.org/wsdl/soap/',
  MICROSOFT_TYPES,
]);

/**
 * A schema with the namespace that its components have: for an included one without its own, the
 * including one's.
 */
export interface SchemaDocument {
  readonly root: XmlTree;
  readonly targetNamespace: string;
  /**
   * Of a definition in an `xs:redefine`: its name, which means in itself what it redefines, and
   * what that is called instead.
   */
  readonly redefines?: { readonly local: string; readonly as: string };
}

/** Every document of a WSDL. */
export interface LoadedWsdl {
  /** How the first document is called in messages. */
  readonly file: string;
  /** The first one comes first. */
  readonly definitions: readonly XmlTree[];
  readonly schemas: readonly SchemaDocument[];
  /**
   * Why the schema of a namespace is not here, by namespace: it counts once something of it is
   * used.
   */
  readonly absent: ReadonlyMap<string, WsdlError>;
  readonly limits: LoadLimits;
  /** What was read, the first one first. */
  readonly documents: readonly LoadedDocument[];
}

/** A document as it was. */
export interface LoadedDocument {
  readonly bytes: Uint8Array;
  /** Where it was. */
  readonly url: URL;
  /** By what others named it. */
  readonly asked: URL;
  readonly kind: 'wsdl' | 'xsd';
}

/** What reading a WSDL may take, and ask. */
export interface LoadOptions {
  /** Those that differ from the defaults. */
  readonly limits?: Partial<LoadLimits>;
  /**
   * Private networks in CIDR form that documents may be in when the WSDL is at a URL; beside them,
   * its own server may be private, and any public one is asked.
   */
  readonly networks?: readonly string[];
}

/**
 * Reads a WSDL and everything that it imports and includes. Relative places are relative to the
 * document that names them. A WSDL that is a file never makes this process ask the network. It may
 * name files anywhere on this machine, as `../types/order.xsd`; only schemas and WSDLs are read,
 * and nothing of other files is shown. One of a server names no file.
 * @param source a path, or an http or https URL.
 * @throws {WsdlError} `unreadable` @throws {RangeError} for limits that are none. @throws
 *   {TypeError} for networks that are none.
 */
export async function loadWsdl(source: string, options: LoadOptions = {}): Promise<LoadedWsdl> {
  const url = sourceUrl(source);
  const limits = loadLimits(options.limits);
  const servers =
    url.protocol === 'file:'
      ? undefined
      : await DocumentServers.around(url, limits, options.networks ?? []);
  try {
    return await new Loader(limits, url.protocol, servers).load(url);
  } finally {
    servers?.close();
  }
}

/** The same of a document that is in memory and stands alone. @throws {WsdlError} */
export async function loadWsdlText(
  text: string,
  name: string,
  limits: LoadLimits = loadLimits(),
): Promise<LoadedWsdl> {
  return new Loader(limits, 'none:', undefined).take(
    readXml(Buffer.from(text), name, limits),
    undefined,
  );
}

/** A document, and what relative places in it are relative to. */
interface PlacedDocument {
  readonly root: XmlTree;
  readonly url: URL;
}

class Loader {
  readonly #limits: LoadLimits;
  readonly #protocol: string;
  readonly #servers: DocumentServers | undefined;
  readonly #definitions: XmlTree[] = [];
  readonly #schemas: SchemaDocument[] = [];
  readonly #absent = new Map<string, WsdlError>();
  readonly #documents: LoadedDocument[] = [];
  readonly #read = new Map<string, Promise<PlacedDocument>>();
  /** Documents taken, with the namespace they were taken for. */
  readonly #taken = new Set<string>();
  #bytes = 0;
  #nodes = 0;

  constructor(limits: LoadLimits, protocol: string, servers: DocumentServers | undefined) {
    this.#limits = limits;
    this.#protocol = protocol;
    this.#servers = servers;
  }

  async load(url: URL): Promise<LoadedWsdl> {
    this.#enter(url, '');
    const { root, url: found } = await this.#document(url);
    return this.take(root, found);
  }

  async take(root: XmlTree, url: URL | undefined): Promise<LoadedWsdl> {
    if (root.uri === WSDL_20) {
      throw new WsdlError('unsupported', root.file, '', 'This is WSDL 2.0; only WSDL 1.1 is read.');
    }
    if (root.uri !== WSDL || root.local !== 'definitions') {
      throw new WsdlError(
        'unreadable',
        root.file,
        '',
        `This is no WSDL 1.1: its root is ${root.local || 'missing'}.`,
      );
    }
    await this.#takeDefinitions(root, url);
    return {
      file: root.file,
      definitions: this.#definitions,
      schemas: this.#schemas,
      absent: this.#absent,
      limits: this.#limits,
      documents: this.#documents,
    };
  }

  async #takeDefinitions(root: XmlTree, url: URL | undefined): Promise<void> {
    this.#definitions.push(root);
    this.#count(root);
    for (const types of root.of(WSDL, 'types')) {
      for (const schema of types.children) {
        const namespace = schema.attribute('targetNamespace') ?? '';
        if (schema.local !== 'schema') continue;
        if (schema.uri === XSD) await this.#takeSchema(schema, namespace, url);
      }
    }
    for (const statement of root.of(WSDL, 'import')) {
      const place = statement.attribute('location');
      const namespace = statement.attribute('namespace') ?? '';
      if (place === undefined) continue;
      const known = wellKnownWsdl(namespace);
      const isAway = known !== undefined && /^https?:/i.test(place.trim());
      const target = isAway ? undefined : this.#imported(statement, place, url);
      if (target !== undefined && !this.#enter(target, '')) continue;
      const document = target && (await this.#present(target, root.file, namespace));
      if (document === undefined) {
        if (known !== undefined && this.#enter(new URL(known.file), ''))
          await this.#takeDefinitions(known, undefined);
        continue;
      }
      const { root: imported, url: found } = document;
      if (imported.uri === XSD) {
        this.#count(imported);
        await this.#takeSchema(imported, imported.attribute('targetNamespace') ?? '', found);
      } else await this.#takeDefinitions(imported, found);
    }
  }

  async #takeSchema(root: XmlTree, targetNamespace: string, url: URL | undefined): Promise<void> {
    this.#schemas.push({ root, targetNamespace });
    for (const statement of root.of(XSD, 'import', 'include', 'redefine')) {
      const place = statement.attribute('schemaLocation');
      const imported = statement.local === 'import';
      // Without a place the schema is one of the others here, or well known.
      if (
        place === undefined ||
        (imported && isBuiltIn(statement.attribute('namespace') ?? '', place))
      )
        continue;
      const target = imported
        ? this.#imported(statement, place, url)
        : this.#place(statement, place, url);
      const namespace = imported ? undefined : targetNamespace;
      if (target === undefined || !this.#enter(target, namespace ?? '')) continue;
      const document = await this.#present(
        target,
        root.file,
        imported ? statement.attribute('namespace') : targetNamespace,
      );
      if (document === undefined) continue;
      const { root: schema, url: found } = document;
      if (schema.uri !== XSD)
        throw new WsdlError('unreadable', schema.file, '', 'This is a WSDL, and no schema.');
      this.#count(schema);
      await this.#takeSchema(schema, namespace ?? schema.attribute('targetNamespace') ?? '', found);
    }
  }

  /**
   * A document that another one names; `undefined` where it is not there, which counts once
   * something of it is used.
   */
  async #present(
    place: URL,
    importer: string,
    namespace = '',
  ): Promise<PlacedDocument | undefined> {
    try {
      return await this.#document(place, importer);
    } catch (error) {
      if (!(error instanceof MissingDocument)) throw error;
      if (!isWellKnown(namespace) && !this.#absent.has(namespace))
        this.#absent.set(namespace, error);
      return undefined;
    }
  }

  /**
   * The place of an imported document; `undefined` for one on the network that a file imports,
   * which may never be used.
   */
  #imported(statement: XmlTree, place: string, url: URL | undefined): URL | undefined {
    const namespace = statement.attribute('namespace') ?? '';
    try {
      return this.#place(statement, place, url);
    } catch (error) {
      if (!(error instanceof WsdlError) || !/^(?:https?|ftp):/i.test(place.trim())) throw error;
      if (!this.#absent.has(namespace)) this.#absent.set(namespace, error);
      return undefined;
    }
  }

  #place(statement: XmlTree, place: string, base: URL | undefined): URL {
    const refuse = (reason: string) =>
      new WsdlError('unreadable', statement.file, statement.local, reason);
    if (base === undefined) throw refuse(`${place} cannot be read: this document stands alone.`);
    const target = URL.parse(place.trim().replaceAll('\\', '/'), base);
    if (target === null) throw refuse(`${place} is not a place.`);
    target.hash = '';
    const web = target.protocol === 'http:' || target.protocol === 'https:';
    if (web && this.#protocol === 'file:') {
      throw refuse(
        `${place} is on the network; save it beside this file and name it there, or give the WSDL's URL.`,
      );
    }
    // A document from the network names no file of this machine, and one of this machine none of
    // another: Windows would sign in there.
    if (!web && (this.#protocol !== 'file:' || !isLocalFile(target, base)))
      throw refuse(`${place} cannot be read.`);
    return target;
  }

  #enter(target: URL, namespace: string): boolean {
    const key = `${target.href} ${namespace}`;
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }

  /** @param importer the document that names it; absent for the one that a person named. */
  #document(url: URL, importer?: string): Promise<PlacedDocument> {
    const known = this.#read.get(url.href);
    if (known !== undefined) return known;
    const { documents } = this.#limits;
    if (this.#read.size >= documents) {
      const reason = `A WSDL may consist of at most ${documents} documents (limit documents).`;
      throw new WsdlError('unreadable', nameOf(url), '', reason);
    }
    const reading = this.#nearest(url, importer).then(({ bytes, url: found }) => {
      const { totalBytes } = this.#limits;
      this.#bytes += bytes.length;
      if (this.#bytes > totalBytes) {
        const reason = `With it, the documents have more than ${totalBytes} bytes (limit totalBytes).`;
        throw new WsdlError('unreadable', nameOf(url), '', reason);
      }
      const { namespaces } = this.#limits;
      const left = { nodes: this.#limits.nodes - this.#nodes, namespaces };
      const root = readXml(bytes, nameOf(found), left, importer !== undefined);
      const kind = root.local === 'definitions' ? 'wsdl' : 'xsd';
      this.#documents.push({ bytes, url: found, asked: url, kind });
      return { root, url: found };
    });
    this.#read.set(url.href, reading);
    return reading;
  }

  /**
   * A file that is not beside the one that imports it may be named from a folder above, where
   * the old build ran.
   */
  async #nearest(url: URL, importer: string | undefined): Promise<FetchedDocument> {
    try {
      return await this.#fetch(url, importer);
    } catch (error) {
      if (importer === undefined || !(error instanceof MissingDocument)) throw error;
      for (const place of placesAbove(url, importer)) {
        const found = await this.#fetch(place, importer).catch(() => undefined);
        if (found !== undefined) return found;
      }
      throw error;
    }
  }

  #fetch(url: URL, importer: string | undefined): Promise<FetchedDocument> {
    if (this.#servers !== undefined) return this.#servers.fetch(url);
    return readDocument(url, {
      named: importer === undefined,
      most: this.#limits.documentBytes,
      importer,
    });
  }

  /** A document counts once for each namespace that it is taken for. @throws {WsdlError} */
  #count(root: XmlTree): void {
    this.#nodes += root.nodes;
    if (this.#nodes > this.#limits.nodes)
      throw new WsdlError('unreadable', root.file, '', TOO_MANY_NODES);
  }
}

/**
 * Whether an imported schema is ours to know: one in a file of the user's own is read all the same.
 */
function isBuiltIn(namespace: string, place: string): boolean {
  return (
    isWellKnown(namespace) && (ALWAYS_BUILT_IN.has(namespace) || /^https?:/i.test(place.trim()))
  );
}

/** Whether a URL names a file by a path, on the machine of the document that names it. */
function isLocalFile(url: URL, { host }: URL): boolean {
  if (url.protocol !== 'file:' || url.host !== host) return false;
  try {
    return !fileURLToPath(url).includes('\0');
  } catch {
    return false;
  }
}
