import { WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { Element, Header, Type } from '../normal-form.ts';
import type { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError } from '../wsdl-error.ts';
import { type BoundPort, WSDL_MIME } from './bindings.ts';
import type { Definitions } from './definitions.ts';

/** A message as a binding puts it on the wire. */
export interface BoundMessage {
  /** Its name in the WSDL. */
  readonly name: string;
  /** The parts of the body, in order. */
  readonly parts: readonly XmlTree[];
  readonly use: 'literal' | 'encoded';
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
 * What a binding's input or output does with its message: which parts are the body, which are headers.
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
  const attached = extensions.find((child) => child.uri === WSDL_MIME && child.local === 'content');
  if (attached !== undefined) {
    const part = attached.attribute('part') ?? '';
    const reason = `The part ${part} is an attachment (mime:content), which is not served.`;
    throw new WsdlError('unsupported', attached.file, operationPath(attached), reason);
  }
  const listed = body?.attribute('parts')?.trim();
  const inHeader = new Set(
    headers
      .filter((header) => source.definitions.referred('message', header, 'message') === message)
      .map((header) => header.attribute('part')),
  );
  const parts = message.of(WSDL, 'part').filter((part) => {
    const name = part.attribute('name') ?? '';
    return listed === undefined ? !inHeader.has(name) : listed.split(/\s+/).includes(name);
  });
  const use = body?.attribute('use') === 'encoded' ? 'encoded' : 'literal';
  return {
    name: message.attribute('name') ?? '',
    parts,
    use,
    namespace: body?.attribute('namespace'),
    headers: distinct(
      headers.flatMap((header) => readable(source, () => headerOf(header, source))),
    ),
  };
}

/** What a message can do without: nothing, where it cannot be read and the reading is lenient. @throws {WsdlError} */
export function readable<T>({ schemas }: MessageSource, read: () => T): T[] {
  try {
    return [read()];
  } catch (error) {
    schemas.passOver(error, 'It is left out.');
    return [];
  }
}

/** Exchange binds a header twice. */
function distinct(headers: readonly Header[]): readonly Header[] {
  return headers.filter(
    ({ name, namespace }, index) =>
      headers.findIndex((each) => each.name === name && each.namespace === namespace) === index,
  );
}

/** The parts of a multipart message stand one level deeper. */
function withoutMime(child: XmlTree): readonly XmlTree[] {
  if (child.uri !== WSDL_MIME || child.local !== 'multipartRelated') return [child];
  return child.of(WSDL_MIME, 'part').flatMap((part) => part.children);
}

/** Where an element of a binding stands: `operation Name of binding Name`. */
function operationPath(tree: XmlTree): string {
  for (let at: XmlTree | undefined = tree; at !== undefined; at = at.parent) {
    if (at.uri === WSDL && at.local === 'operation')
      return `operation ${at.attribute('name') ?? ''}`;
  }
  return tree.path;
}

function headerOf(tree: XmlTree, { definitions, schemas }: MessageSource): Header {
  const message = definitions.referred('message', tree, 'message');
  const name = tree.attribute('part');
  const part = message.of(WSDL, 'part').find((each) => each.attribute('name') === name);
  if (part === undefined) {
    const reason = `The header's part ${name ?? ''} is not in the message ${message.attribute('name') ?? ''}.`;
    throw new WsdlError('unreadable', tree.file, operationPath(tree), reason);
  }
  const element = part.qname('element');
  if (element !== undefined) return schemas.element(element, part);
  // SOAP 1.1 encoded: the header is named like its part, in the namespace the binding says.
  return {
    name: name ?? '',
    namespace: tree.attribute('namespace') ?? '',
    type: partType(part, schemas),
    min: 1,
    max: 1,
  };
}

/** The type of a part that names one. @throws {WsdlError} */
export function partType(part: XmlTree, schemas: SchemaReader): Type {
  const name = part.qname('type');
  if (name !== undefined) return schemas.typeOfName(name, part);
  throw new WsdlError(
    'unreadable',
    part.file,
    part.path,
    `The part ${part.attribute('name') ?? ''} names neither a type nor an element.`,
  );
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
  const name = part.attribute('name') ?? '';
  return { name, namespace: '', type: partType(part, schemas), min: 1, max: 1 };
}
