import type { SchemaDocument } from '../load/load.ts';
import { XSD } from '../load/load.ts';
import { clark, type QName, type XmlTree } from '../load/xml-document.ts';
import { type Element, isBuiltIn, type NamedType, type Type } from '../normal-form.ts';
import { WsdlError } from '../wsdl-error.ts';
import { type ComplexTypeSource, complexType, shapeOf } from './complex-types.ts';
import { Components, type Declaration, reference } from './components.ts';
import { globalElement } from './particles.ts';
import { distinctProperties } from './properties.ts';
import { simpleType } from './simple-types.ts';
import { TypeNames } from './type-names.ts';

const SOAP_ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
const MICROSOFT = 'http://microsoft.com/wsdl/types/';

/** Reads the types of a WSDL, as far as they are asked for. */
export class SchemaReader implements ComplexTypeSource {
  readonly components: Components;
  readonly #names: TypeNames;
  readonly #types = new Map<string, NamedType>();
  /** Keys of types that are read or being read: of named ones by Clark's notation, of anonymous ones by their element. */
  readonly #keys = new Map<string | XmlTree, Type>();
  /** Types that others extend or restrict. */
  readonly #extended = new Set<XmlTree>();

  constructor(schemas: readonly SchemaDocument[]) {
    this.components = new Components(schemas);
    this.#names = new TypeNames(this.components.typeNames);
    for (const { root, targetNamespace } of schemas)
      this.#findExtended({ tree: root, schema: { root, targetNamespace } });
  }

  /** The types read so far, with those that extend them; by key. @throws {WsdlError} */
  types(): Readonly<Record<string, NamedType>> {
    for (const name of this.#polymorphic()) this.#declared(name, this.components.find('type', name)!);
    return distinctProperties(Object.fromEntries(this.#types));
  }

  /** A global element, as a message or a header has it. @throws {WsdlError} */
  element(name: QName, at: XmlTree): Element {
    return globalElement(this.components.get('element', name, at), this);
  }

  typeNamed({ tree, schema }: Declaration, attribute: string): Type {
    const name = reference(tree, attribute, schema);
    if (name === undefined) throw new WsdlError('unreadable', tree.file, tree.path, `It has no ${attribute}.`);
    return this.typeOfName(name, tree);
  }

  typeOfName(name: QName, at: XmlTree): Type {
    const { uri, local } = name;
    if (uri === MICROSOFT && (local === 'guid' || local === 'char')) return local;
    if (uri === XSD || (uri === SOAP_ENCODING && (isBuiltIn(local) || local === 'base64'))) {
      if (isBuiltIn(local)) return local;
      if (local === 'base64') return 'base64Binary';
      throw new WsdlError('unreadable', at.file, at.path, `XML Schema has no type ${local}.`);
    }
    if (uri === SOAP_ENCODING && local === 'Array') return this.#anyArray();
    if (/^http:\/\/www\.w3\.org\/(1999|2000\/10)\/XMLSchema$/.test(uri)) {
      throw new WsdlError(
        'unsupported',
        at.file,
        at.path,
        `${uri} is a draft of XML Schema; only that of 2001 is read.`,
      );
    }
    const known = this.#keys.get(clark(name));
    if (known !== undefined) return known;
    return this.#declared(name, this.components.get('type', name, at));
  }

  anonymousType(tree: XmlTree, { schema }: Declaration, ...name: readonly string[]): Type {
    const known = this.#keys.get(tree);
    if (known !== undefined) return known;
    const shape = tree.local === 'complexType' ? shapeOf(tree) : undefined;
    if (shape !== undefined) return shape;
    const key = this.#names.anonymous(...name);
    this.#keys.set(tree, { ref: key });
    this.#read({ tree, schema }, key, { name: key, namespace: schema.targetNamespace, anonymous: true });
    return { ref: key };
  }

  elementType(declaration: Declaration, owner: string): Type {
    const { tree, schema } = declaration;
    const inner = tree.first(XSD, 'complexType') ?? tree.first(XSD, 'simpleType');
    if (inner !== undefined) return this.anonymousType(inner, declaration, owner, tree.attribute('name') ?? '');
    if (tree.attribute('type') !== undefined) return this.typeNamed(declaration, 'type');
    const head = reference(tree, 'substitutionGroup', schema);
    return head === undefined ? 'anyType' : this.elementType(this.components.get('element', head, tree), owner);
  }

  named(key: string): NamedType {
    const made = this.#types.get(key);
    // Asked for by a type that it holds itself: what is asked then is what kind it is, and only objects hold types.
    return made ?? { kind: 'object', name: key, namespace: '', content: [], attributes: [] };
  }

  add(type: NamedType, ...name: readonly string[]): Type {
    const key = this.#names.anonymous(...name);
    this.#types.set(key, { ...type, name: key });
    return { ref: key };
  }

  isExtended(tree: XmlTree): boolean {
    return this.#extended.has(tree);
  }

  #declared(name: QName, declaration: Declaration): Type {
    const key = this.#names.named(name.local);
    this.#keys.set(clark(name), { ref: key });
    this.#read(declaration, key, { name: name.local, namespace: name.uri });
    return { ref: key };
  }

  #read(declaration: Declaration, key: string, names: { name: string; namespace: string; anonymous?: true }): void {
    const documentation = declaration.tree.documentation(XSD);
    const facts = documentation === undefined ? names : { ...names, documentation };
    // Its place is kept, so that types are in the order in which they are met.
    this.#types.set(key, this.named(key));
    const read = declaration.tree.local === 'complexType' ? complexType : simpleType;
    this.#types.set(key, read(declaration, facts, key, this));
  }

  #anyArray(): Type {
    const key = `{${SOAP_ENCODING}}Array`;
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const item: Element = { name: 'item', namespace: '', type: 'anyType', min: 0, max: 'unbounded', nillable: true };
    const names = { name: 'Array', namespace: SOAP_ENCODING };
    const made = this.add({ ...names, kind: 'array', item, encoded: true }, 'ArrayOfAnyType');
    this.#keys.set(key, made);
    return made;
  }

  /** Types not read yet that extend one that is. */
  *#polymorphic(): Generator<QName> {
    for (const type of this.#types.values()) {
      if (type.anonymous) continue;
      for (const name of this.components.derivedOf({ uri: type.namespace, local: type.name })) {
        if (!this.#keys.has(clark(name))) yield name;
      }
    }
  }

  #findExtended({ tree, schema }: Declaration): void {
    if (tree.uri === XSD && (tree.local === 'extension' || tree.local === 'restriction')) {
      const base = tree.attribute('base') === undefined ? undefined : reference(tree, 'base', schema);
      const declaration = base === undefined ? undefined : this.components.find('type', base);
      if (declaration !== undefined) this.#extended.add(declaration.tree);
    }
    for (const child of tree.children) this.#findExtended({ tree: child, schema });
  }
}
