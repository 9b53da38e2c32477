import { MEDIA_TYPE } from '@ws01/asmx/internal/contract/media-type';
import { XSD } from '@ws01/asmx/internal/xml/namespace-names';
import { distinct } from '../compare/paired.ts';
import { WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { Element, Header, Type } from '../normal-form.ts';
import { isNullable } from '../schema/particles.ts';
import type { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError } from '../wsdl-error.ts';
import { type BoundPort, WSDL_MIME } from './bindings.ts';
import type { Definitions } from './definitions.ts';

type Use = 'literal' | 'encoded';

/** A message as a binding puts it on the wire. */
export interface BoundMessage {
  /** Its name in the WSDL. */
  readonly name: string;
  /** The parts of the body, in order. */
  readonly parts: readonly XmlTree[];
  /** The parts that stand beside the envelope. */
  readonly attachments: readonly Element[];
  readonly use: Use;
  /** Of an rpc message's wrapper. */
  readonly namespace: string | undefined;
  readonly headers: readonly Header[];
}

export interface MessageSource {
  readonly definitions: Definitions;
  readonly schemas: SchemaReader;
  /** Whether clients send WS-Addressing headers. */
  readonly addressing: boolean;
}

/**
 * What a binding's input or output does with its message: which parts are the body, which are
 * headers.
 * @param bound the binding's input or output. @param abstract the port type's. @throws {WsdlError}
 */
export function boundMessage(
  bound: XmlTree | undefined,
  abstract: XmlTree,
  { uri }: BoundPort,
  source: MessageSource,
): BoundMessage {
  const message = source.definitions.referred('message', abstract, 'message');
  const extensions = bound === undefined ? [] : bound.children.flatMap(withoutMime);
  const body = extensions.find((child) => child.uri === uri && child.local === 'body');
  const headers = extensions.filter((child) => child.uri === uri && child.local === 'header');
  const listed = body?.attribute('parts')?.trim();
  const inHeader = new Set(
    headers
      .filter((header) => source.definitions.referred('message', header, 'message') === message)
      .map((header) => header.attribute('part')),
  );
  const attached = mediaTypes(extensions, message);
  const all = message.of(WSDL, 'part');
  const parts = all.filter((part) => {
    const name = part.name;
    return listed === undefined
      ? !inHeader.has(name) && !attached.has(name)
      : listed.split(/\s+/).includes(name);
  });
  const attachments = all.flatMap((part) => {
    const name = part.name;
    const types = parts.includes(part) ? undefined : attached.get(name);
    return types === undefined ? [] : [attachment(part, name, types)];
  });
  const use = body?.attribute('use') === 'encoded' ? 'encoded' : 'literal';
  return {
    name: message.name,
    parts,
    attachments,
    use,
    namespace: body?.attribute('namespace'),
    headers: distinct(
      headers.flatMap((header) => readable(source, () => headerOf(header, use, source))),
    ),
  };
}

/**
 * What a message can do without: nothing, where it cannot be read and the reading is lenient.
 * @throws {WsdlError}
 */
export function readable<T>({ schemas }: MessageSource, read: () => T): T[] {
  try {
    return [read()];
  } catch (error) {
    schemas.passOver(error, 'It is left out.');
    return [];
  }
}

/**
 * The media types that a binding allows of each part beside the envelope (WSDL 1.1, 5.4).
 * @throws {WsdlError}
 */
function mediaTypes(
  extensions: readonly XmlTree[],
  message: XmlTree,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const parts = message.of(WSDL, 'part').map((part) => part.name);
  for (const content of extensions) {
    if (content.uri !== WSDL_MIME || content.local !== 'content') continue;
    // It may leave out the name of the message's only part.
    const name = content.attribute('part') ?? (parts.length === 1 ? parts[0]! : '');
    if (!parts.includes(name)) {
      const reason = `The attachment's part ${name} is not in the message ${message.name}.`;
      throw new WsdlError('unreadable', content.file, operationPath(content), reason);
    }
    const type = content.attribute('type')?.trim() ?? '';
    const types = found.get(name) ?? [];
    types.push(MEDIA_TYPE.test(type) ? type : '*/*');
    found.set(name, types);
  }
  return found;
}

/** A part beside the envelope: bytes, whatever the WSDL says that their XML would be. */
function attachment(part: XmlTree, name: string, types: readonly string[]): Element {
  const said = part.qname('type');
  const type = said?.uri === XSD && said.local === 'hexBinary' ? 'hexBinary' : 'base64Binary';
  return { name, namespace: '', type, min: 0, max: 1, attachment: [...new Set(types)] };
}

/** Exchange binds a header twice. */

/** The parts of a multipart message stand one level deeper. */
function withoutMime(child: XmlTree): readonly XmlTree[] {
  if (child.uri !== WSDL_MIME || child.local !== 'multipartRelated') return [child];
  return child.of(WSDL_MIME, 'part').flatMap((part) => part.children);
}

/** Where an element of a binding stands: `operation Name of binding Name`. */
function operationPath(tree: XmlTree): string {
  for (let at: XmlTree | undefined = tree; at !== undefined; at = at.parent) {
    if (at.uri === WSDL && at.local === 'operation') return `operation ${at.name}`;
  }
  return tree.path;
}

/** The `use` of a header or fault, if it differs from the `use` of its operation. */
export function ownUse(said: XmlTree | undefined, usual: Use): { readonly use?: Use } {
  const use = said?.attribute('use');
  return use !== usual && (use === 'literal' || use === 'encoded') ? { use } : {};
}

function headerOf(tree: XmlTree, use: Use, { definitions, schemas }: MessageSource): Header {
  const message = definitions.referred('message', tree, 'message');
  const name = tree.attribute('part');
  const part = message.of(WSDL, 'part').find((each) => each.attribute('name') === name);
  if (part === undefined) {
    const reason = `The header's part ${name ?? ''} is not in the message ${message.name}.`;
    throw new WsdlError('unreadable', tree.file, operationPath(tree), reason);
  }
  const element = part.qname('element');
  const own = ownUse(tree, use);
  if (element !== undefined) return { ...schemas.element(element, part), ...own };
  // SOAP 1.1 encoded: the header is named like its part, in the namespace the binding says.
  return {
    name: name ?? '',
    namespace: tree.attribute('namespace') ?? '',
    type: partType(part, schemas),
    min: 1,
    max: 1,
    ...own,
  };
}

/** The type of a part that names one. @throws {WsdlError} */
export function partType(part: XmlTree, schemas: SchemaReader): Type {
  const name = part.qname('type');
  if (name !== undefined) return schemas.typeOfName(name, part);
  throw part.unreadable(`The part ${part.name} names neither a type nor an element.`);
}

/**
 * What a part puts into a message: the element that it names, or one of its type that is called
 * like the part and in no namespace. WS-I has rpc messages name types (R2203) and document
 * messages elements (R2204); PHP, zeep and gSOAP take either everywhere, and write this.
 * @throws {WsdlError}
 */
export function partElement(part: XmlTree, schemas: SchemaReader): Element {
  const element = part.qname('element');
  if (element !== undefined) return schemas.element(element, part);
  const name = part.name;
  const nil = isNullable(part) ? { nillable: true as const } : {};
  return { name, namespace: '', type: partType(part, schemas), min: 1, max: 1, ...nil };
}
