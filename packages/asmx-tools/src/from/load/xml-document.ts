import { defineLimits } from '@ws01/asmx/internal/contract/limits';
import { XmlCapture } from '@ws01/asmx/internal/values/xml-capture';
import { XSD } from '@ws01/asmx/internal/xml/namespace-names';
import { createXmlReader, type XmlElement, XmlError } from '@ws01/asmx/internal/xml/reader';
import { WsdlError } from '../wsdl-error.ts';
import { withoutDraft } from './drafts.ts';
import type { LoadLimits } from './limits.ts';

export const WSDL = 'http://schemas.xmlsoap.org/wsdl/';

/** A name in a namespace; `uri` is `''` for none. */
export interface QName {
  readonly uri: string;
  readonly local: string;
}

/** A name as one text, for maps: James Clark's notation. */
export function clark({ uri, local }: QName): string {
  return `{${uri}}${local}`;
}

/** Attributes whose values are qualified names, in WSDL 1.1 and XML Schema. */
const NAMES = new Set([
  ...['type', 'base', 'ref', 'element', 'itemType', 'memberTypes', 'substitutionGroup'],
  ...['message', 'binding', 'arrayType', 'refer', 'name'],
]);

/** Attributes whose blanks count; those of all others are between tokens. */
const RAW = new Set(['value', 'default', 'fixed']);

/** One element of a document that was read whole. */
export class XmlTree {
  readonly uri: string;
  readonly local: string;
  /** The file or URL it was read from. */
  readonly file: string;
  readonly parent: XmlTree | undefined;
  readonly children: XmlTree[] = [];
  /** The text of {@link TEXTS}. */
  text = '';
  /** Of a schema in a document with typed DataSets: the whole of it, as XML. */
  source: string | undefined;
  /** Of the root of a document: how many elements and attributes it has. */
  nodes = 0;
  /** By local name, or by Clark's notation where there is a namespace. */
  readonly #attributes = new Map<string, string>();
  /** What the prefixes in its {@link NAMES} mean. */
  readonly #prefixes = new Map<string, string | undefined>();

  constructor(
    { uri, local, attributes, namespaceOf }: XmlElement,
    file: string,
    parent: XmlTree | undefined,
  ) {
    this.uri = withoutDraft(uri);
    this.local = local;
    this.file = file;
    this.parent = parent;
    for (const attribute of attributes) {
      const value = RAW.has(attribute.local) ? attribute.value : attribute.value.trim();
      this.#attributes.set(attribute.uri === '' ? attribute.local : clark(attribute), value);
      const isName = this.local === 'enumeration' && attribute.local === 'value';
      if (!isName && !NAMES.has(attribute.local)) continue;
      for (const name of value.trim().split(/\s+/)) {
        const prefix = prefixOf(name);
        const meant = namespaceOf(prefix);
        this.#prefixes.set(prefix, meant && withoutDraft(meant));
      }
    }
  }

  /** The value of an attribute without a namespace, or of one in Clark's notation. */
  attribute(name: string): string | undefined {
    return this.#attributes.get(name);
  }

  /** The attribute `name`; empty without one. */
  get name(): string {
    return this.#attributes.get('name') ?? '';
  }

  /** An attribute that is a qualified name. @throws {WsdlError} when its prefix is not declared. */
  qname(name: string): QName | undefined {
    const value = this.attribute(name)?.trim();
    return value === undefined ? undefined : this.#resolve(value);
  }

  /** An attribute that is a list of qualified names. @throws {WsdlError} */
  qnames(name: string): QName[] {
    const value = this.attribute(name)?.trim();
    return value === undefined || value === ''
      ? []
      : value.split(/\s+/).map((each) => this.#resolve(each));
  }

  /** Child elements of a namespace, of one of the names given or of any. */
  of(uri: string, ...locals: readonly string[]): XmlTree[] {
    return this.children.filter(
      (child) => child.uri === uri && (locals.length === 0 || locals.includes(child.local)),
    );
  }

  /** The first child element of a name. */
  first(uri: string, local: string): XmlTree | undefined {
    return this.children.find((child) => child.uri === uri && child.local === local);
  }

  /**
   * What a `documentation` child says, its white space made single blanks; `undefined` when
   * nothing.
   */
  documentation(uri: string): string | undefined {
    const annotation = this.first(uri, 'annotation') ?? this;
    const text = annotation
      .of(uri, 'documentation')
      .map(allText)
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    return text === '' ? undefined : text;
  }

  /** Where it stands, for messages: `type Order/Item`. */
  get path(): string {
    const names: string[] = [];
    for (let at: XmlTree | undefined = this; at !== undefined; at = at.parent) {
      const name = at.attribute('name') ?? at.attribute('ref');
      if (at.local === 'schema' || at.local === 'definitions') break;
      if (name !== undefined) names.unshift(name);
      if (at.parent?.local === 'schema' || at.parent?.local === 'definitions') {
        return `${kindOf(at)} ${names.join('/')}`.trim();
      }
    }
    return names.join('/');
  }

  /** A refusal of this element: it contradicts itself, or names what is nowhere. */
  unreadable(reason: string): WsdlError {
    return new WsdlError('unreadable', this.file, this.path, reason);
  }

  /** A refusal of this element: the engine cannot serve it. */
  unsupported(reason: string): WsdlError {
    return new WsdlError('unsupported', this.file, this.path, reason);
  }

  #resolve(value: string): QName {
    const prefix = prefixOf(value);
    const local = value.slice(prefix === '' ? 0 : prefix.length + 1);
    const uri = this.#prefixes.get(prefix);
    if (uri !== undefined) return { uri, local };
    throw this.unreadable(`The prefix ${prefix} of ${value} is not declared.`);
  }
}

function allText(tree: XmlTree): string {
  return [tree.text, ...tree.children.map(allText)].join(' ');
}

function kindOf({ uri, local }: XmlTree): string {
  if (uri !== XSD) return local;
  return local === 'complexType' || local === 'simpleType' ? 'type' : local;
}

function prefixOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(':')));
}

/** Elements whose text is read. */
const TEXTS = new Set(['documentation', 'EnumerationValue']);

const IS_DATA_SET = 'IsDataSet';

/** Attributes of one element beside its declarations of namespaces. */
const ATTRIBUTES = 256;

/** What a document may hold; what it may take is a matter of the {@link LoadLimits}. */
export const DOCUMENT_LIMITS = {
  textChars: 4 * 1024 * 1024,
  depth: 128,
  attributeValueChars: 1024 * 1024,
} as const;

/**
 * Reads a whole document.
 * @param file what it is called in messages. @param limits how many elements and attributes it may
 *   have, and declarations in scope.
 * @param imported whether another document names it: it must be a schema or a WSDL. Of a file that
 *   is neither, nothing is shown.
 * @throws {WsdlError} `unreadable` when it is not well-formed, has a DTD, or is over a limit.
 */
export function readXml(
  bytes: Uint8Array,
  file: string,
  { nodes, namespaces }: Pick<LoadLimits, 'nodes' | 'namespaces'>,
  imported = false,
): XmlTree {
  const unreadable = (reason: string) => new WsdlError('unreadable', file, '', reason);
  let root: XmlTree | undefined;
  let open: XmlTree | undefined;
  let count = 0;
  // Generators make classes of what a schema says beside its types: keys, relations, what columns
  // are.
  const hasDataSets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
    IS_DATA_SET,
  );
  let captured: { readonly schema: XmlTree; readonly capture: XmlCapture } | undefined;
  const reader = createXmlReader(
    {
      open(element) {
        count += 1 + element.attributes.length;
        if (count > nodes) throw unreadable(TOO_MANY_NODES);
        const tree = new XmlTree(element, file, open);
        if (root === undefined && imported && !isContract(tree)) throw unreadable(NO_CONTRACT);
        root ??= tree;
        open?.children.push(tree);
        open = tree;
        if (hasDataSets && captured === undefined && tree.uri === XSD && tree.local === 'schema')
          captured = { schema: tree, capture: new XmlCapture('drop', true) };
        captured?.capture.open(element);
        if (captured !== undefined) return 'text';
        if (tree.local === 'appinfo' && tree.parent?.parent?.local !== 'enumeration') return 'skip';
        const isText = TEXTS.has(tree.local) || tree.parent?.local === 'documentation';
        return isText ? 'text' : 'elements';
      },
      text(piece) {
        captured?.capture.text(piece);
        open!.text += piece;
      },
      close() {
        if (captured?.capture.close() && captured.capture.complete) {
          captured.schema.source = captured.capture.content;
          captured = undefined;
        }
        open = open?.parent;
      },
    },
    {
      limits: defineLimits({
        ...DOCUMENT_LIMITS,
        namespaces,
        // Most WSDLs declare all of their namespaces at the root.
        attributes: Math.min(Number.MAX_SAFE_INTEGER, namespaces + ATTRIBUTES),
        bodyBytes: Math.max(1, bytes.length),
        elements: Math.max(1, nodes),
        totalAttributes: Math.max(1, nodes),
      }),
    },
  );
  try {
    reader.push(bytes);
    reader.end();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    if (error.limit === 'elements' || error.limit === 'totalAttributes')
      throw unreadable(TOO_MANY_NODES);
    if (root === undefined && imported && error.code === 'malformed') throw unreadable(NO_CONTRACT);
    if (isPage(bytes)) throw unreadable(PAGE);
    throw unreadable(error.message);
  }
  root!.nodes = count;
  return root!;
}

/** Said of a document with which all together have too many elements and attributes. */
export const TOO_MANY_NODES =
  'With it, the documents have too many elements and attributes (limit nodes).';

const PAGE = 'This is an HTML page, perhaps to sign in, and no WSDL.';

function isPage(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html)\b/i.test(
    Buffer.from(bytes.subarray(0, 200)).toString('latin1'),
  );
}

const NO_CONTRACT = 'This is neither WSDL 1.1 nor a schema.';

function isContract({ uri, local }: XmlTree): boolean {
  return (uri === XSD && local === 'schema') || (uri === WSDL && local === 'definitions');
}
