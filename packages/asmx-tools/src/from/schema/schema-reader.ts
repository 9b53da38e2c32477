import {
  ATTACHMENT_REFERENCES,
  isSoapEncoding,
  MICROSOFT_TYPES,
  SOAP_ENCODING,
  XSD,
} from '@ws01/asmx/internal/xml/namespace-names';
import { TYPES_OF_DRAFTS } from '../load/drafts.ts';
import type { LoadedWsdl } from '../load/load.ts';
import { clark, type QName, type XmlTree } from '../load/xml-document.ts';
import {
  type DataSetSchema,
  type Element,
  isBuiltIn,
  type NamedType,
  type Type,
} from '../normal-form.ts';
import { WsdlError } from '../wsdl-error.ts';
import { type ComplexTypeSource, complexType, shapeOf } from './complex-types.ts';
import { Components, type Declaration, reference } from './components.ts';
import { type Original, originalsOf } from './originals.ts';
import { globalElement, isTrue } from './particles.ts';
import { distinctProperties } from './properties.ts';
import { simpleType } from './simple-types.ts';
import { TypeNames } from './type-names.ts';

const IS_DATA_SET = '{urn:schemas-microsoft-com:xml-msdata}IsDataSet';

/** By what a type is known: Clark's notation of its name, or the element of an anonymous one. */
type Id = string | XmlTree;

/** A type that has a key and is not read yet. */
interface Unread {
  readonly declaration: Declaration;
  readonly key: string;
  readonly names: { readonly name: string; readonly namespace: string; readonly anonymous?: true };
}

/**
 * Reads the types of a WSDL, as far as they are asked for. A type that is referred to gets its key
 * at once and is read later; the base of a type is read before it. So types that are nested deeply
 * need no deep stack.
 */
export class SchemaReader implements ComplexTypeSource {
  readonly components: Components;
  readonly #names: TypeNames;
  readonly #types = new Map<string, NamedType>();
  /** Keys of types that are read or to be read. */
  readonly #keys = new Map<Id, Type>();
  /** In the order in which they were met. */
  readonly #unread = new Map<Id, Unread>();
  /** Types that wait for those that they are derived from. */
  readonly #waiting = new Set<Id>();
  /** How many types stand in the longest line from a type to what it is derived from in the end. */
  readonly #lines = new Map<Id, number>();
  /** Whether what is asked for is part of something that is being read. */
  #isReading = false;
  readonly #schemas: LoadedWsdl['schemas'];
  readonly #notes = new Set<string>();
  /** The typed DataSets met so far, by name. */
  readonly dataSets: Record<string, DataSetSchema> = {};
  /** Types that extend those of operations, and cannot be read. */
  readonly #unreadable = new Map<string, WsdlError>();
  /** Types that others extend or restrict. */
  readonly #extended = new Set<XmlTree>();
  readonly #derivations: number;
  /** Whether an element is of any type. */
  #hasAnyType = false;

  readonly #isLenient: boolean;

  /** @param isLenient whether any XML takes the place of what cannot be read, with a note. */
  constructor(loaded: Pick<LoadedWsdl, 'schemas' | 'absent' | 'limits'>, isLenient = false) {
    this.#isLenient = isLenient;
    const { schemas, limits } = loaded;
    this.#derivations = limits.derivations;
    this.#schemas = schemas;
    this.components = new Components(loaded, (error) => this.passOver(error));
    this.#names = new TypeNames(this.components.typeNames);
    for (const { root, targetNamespace } of schemas)
      this.#findExtended({ tree: root, schema: { root, targetNamespace } });
  }

  /** The types read so far, with those that extend them; by key. @throws {WsdlError} */
  types(): Readonly<Record<string, NamedType>> {
    for (const name of this.#polymorphic()) {
      try {
        this.#whole(() => this.#declared(name, this.components.find('type', name)!));
      } catch (error) {
        if (!(error instanceof WsdlError)) throw error;
        this.#unreadable.set(clark(name), error);
      }
    }
    return distinctProperties(Object.fromEntries(this.#types));
  }

  /**
   * A line for each type that extends one of the operations' and is left out, because it cannot be
   * read.
   */
  get notes(): readonly string[] {
    const left = [...this.#unreadable];
    return [
      ...this.#notes,
      ...left.map(([name, { reason }]) => `The type ${name} is left out: ${reason}`),
    ];
  }

  /** A global element, as a message or a header has it. @throws {WsdlError} */
  element(name: QName, at: XmlTree): Element {
    return this.#whole(() => globalElement(this.components.get('element', name, at), this));
  }

  /**
   * Goes on without what cannot be read, and notes it.
   * @throws {WsdlError} it, unless the reading is lenient.
   */
  passOver(error: unknown, instead = 'Any XML is taken in its place.'): void {
    if (!this.#isLenient || !(error instanceof WsdlError) || error.kind !== 'unreadable')
      throw error;
    this.#notes.add(`${error.component}: ${error.reason} ${instead}`);
  }

  typeNamed({ tree, schema }: Declaration, attribute: string): Type {
    try {
      const name = reference(tree, attribute, schema);
      if (name === undefined) throw tree.unreadable(`It has no ${attribute}.`);
      return this.typeOfName(name, tree);
    } catch (error) {
      this.passOver(error);
      return tree.local === 'element' ? 'anyType' : 'string';
    }
  }

  /** @throws {WsdlError} */
  typeOfName(name: QName, at: XmlTree): Type {
    return this.#whole(() => this.#typeOfName(name, at));
  }

  #typeOfName(name: QName, at: XmlTree): Type {
    const { uri, local } = name;
    if (uri === MICROSOFT_TYPES && (local === 'guid' || local === 'char')) return local;
    if (uri === ATTACHMENT_REFERENCES && local === 'swaRef') return local;
    const encoded = isSoapEncoding(uri);
    if (uri === XSD || (encoded && (isBuiltIn(local) || local === 'base64'))) {
      if (local === 'anyType') this.#hasAnyType = true;
      if (isBuiltIn(local)) return local;
      if (local === 'base64') return 'base64Binary';
      if (Object.hasOwn(TYPES_OF_DRAFTS, local)) return TYPES_OF_DRAFTS[local]!;
      throw at.unreadable(`XML Schema has no type ${local}.`);
    }
    if (encoded && local === 'Array') return this.#anyArray();
    return (
      this.#keys.get(clark(name)) ?? this.#declared(name, this.components.get('type', name, at))
    );
  }

  anonymousType(tree: XmlTree, { schema }: Declaration, ...name: readonly string[]): Type {
    const known = this.#keys.get(tree);
    if (known !== undefined) return known;
    const shape =
      tree.local === 'complexType' ? (shapeOf(tree) ?? this.#typedDataSet(tree)) : undefined;
    if (shape !== undefined) return shape;
    const key = this.#names.anonymous(...name);
    const names = { name: key, namespace: schema.targetNamespace, anonymous: true } as const;
    const type = this.#reserve(tree, { declaration: { tree, schema }, key, names });
    // What is made of a simple type looks at it, and it holds no others than simple ones.
    if (tree.local === 'simpleType') this.#readInOrder(tree);
    return type;
  }

  /**
   * A typed DataSet, as ASP.NET describes it: any element of a namespace whose schema is that of a
   * DataSet.
   */
  #typedDataSet(tree: XmlTree): 'DataSet' | undefined {
    return this.typedDataSet(tree) === undefined ? undefined : 'DataSet';
  }

  /** The name of a typed DataSet. @param tree a complex type without a name. */
  typedDataSet(tree: XmlTree): string | undefined {
    const [sequence, more] = tree.of(XSD);
    const [any, another] = sequence?.of(XSD) ?? [];
    const isOne = sequence?.local === 'sequence' && more === undefined && another === undefined;
    const namespace = isOne && any?.local === 'any' ? any.attribute('namespace') : undefined;
    const schemas = this.#schemas.filter((each) => each.targetNamespace === namespace);
    const found = schemas
      .flatMap(({ root }) => root.of(XSD, 'element'))
      .find((each) => isTrue(each.attribute(IS_DATA_SET)));
    const name = found?.attribute('name');
    if (found === undefined || name === undefined) return undefined;
    const { source } = found.parent!;
    if (source !== undefined && namespace) this.dataSets[name] ??= { namespace, schema: source };
    this.#notes.add(
      `The typed DataSet ${name} is served as a DataSet; its rows are in the namespace ${namespace}.`,
    );
    return name;
  }

  elementType(declaration: Declaration, owner: string): Type {
    const seen = new Set<XmlTree>();
    let at = declaration;
    for (;;) {
      const { tree, schema } = at;
      const inner = tree.first(XSD, 'complexType') ?? tree.first(XSD, 'simpleType');
      if (inner !== undefined) return this.anonymousType(inner, at, owner, tree.name);
      if (tree.attribute('type') !== undefined) return this.typeNamed(at, 'type');
      const head = reference(tree, 'substitutionGroup', schema);
      if (head === undefined) {
        this.#hasAnyType = true;
        return 'anyType';
      }
      if (seen.has(tree)) throw tree.unreadable('It stands for itself.');
      seen.add(tree);
      at = this.components.get('element', head, tree);
    }
  }

  named(key: string): NamedType {
    return this.#types.get(key) ?? placeOf(key);
  }

  add(type: NamedType, ...name: readonly string[]): Type {
    const key = this.#names.anonymous(...name);
    this.#types.set(key, { ...type, name: key });
    return { ref: key };
  }

  /**
   * Whether another type extends or restricts a named type, so that a value of it may say another
   * in `xsi:type`.
   */
  isDerivedFrom({ name, namespace, anonymous }: NamedType): boolean {
    return (
      anonymous !== true && this.components.derivedOf({ uri: namespace, local: name }).length > 0
    );
  }

  isExtended(tree: XmlTree): boolean {
    return this.#extended.has(tree);
  }

  #declared(name: QName, declaration: Declaration): Type {
    const key = this.#names.named(name.local);
    return this.#reserve(clark(name), {
      declaration,
      key,
      names: { name: name.local, namespace: name.uri },
    });
  }

  /** Gives a type its key and its place, so that types are in the order in which they are met. */
  #reserve(id: Id, unread: Unread): Type {
    const { key } = unread;
    this.#keys.set(id, { ref: key });
    this.#types.set(key, placeOf(key));
    this.#unread.set(id, unread);
    return { ref: key };
  }

  /**
   * Does something, and reads all types that it asks for. Where one cannot be read, none of them is
   * known afterwards.
   */
  #whole<T>(ask: () => T): T {
    if (this.#isReading) return ask();
    const before = { keys: this.#keys.size, types: this.#types.size };
    this.#isReading = true;
    try {
      const asked = ask();
      for (const id of this.#unread.keys()) this.#readInOrder(id);
      return asked;
    } catch (error) {
      // Another operation may ask again for these types, and refer to them.
      for (const known of [...this.#keys.keys()].slice(before.keys)) this.#keys.delete(known);
      for (const made of [...this.#types.keys()].slice(before.types)) {
        this.#types.delete(made);
        this.#names.release(made);
      }
      this.#unread.clear();
      this.#waiting.clear();
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  /** Reads a type, and before it those that it is derived from. */
  #readInOrder(first: Id): void {
    const stack = [first];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const unread = this.#unread.get(id);
      if (unread === undefined) {
        stack.pop();
        continue;
      }
      const originals = originalsOf(unread.declaration, this.components);
      const isFirst = !this.#waiting.has(id);
      this.#waiting.add(id);
      const open = isFirst ? this.#openOriginals(originals) : [];
      if (open.length > 0) {
        stack.push(...open);
        continue;
      }
      this.#assertLine(id, unread, originals);
      this.#read(unread);
      this.#waiting.delete(id);
      this.#unread.delete(id);
      stack.pop();
    }
  }

  /** Those that are not read yet. @throws {WsdlError} for a simple type that is made of itself. */
  #openOriginals(originals: readonly Original[]): Id[] {
    return originals.flatMap(({ name, at, isSimple }) => {
      try {
        this.#typeOfName(name, at);
      } catch (error) {
        // What is derived from it says what takes its place.
        if (!this.#isLenient) throw error;
        return [];
      }
      const id = clark(name);
      if (!this.#waiting.has(id)) return this.#unread.has(id) ? [id] : [];
      // A complex type that extends itself is refused with all others that the engine cannot serve.
      if (!isSimple) return [];
      throw at.unreadable(`The simple type ${name.local} is made of itself.`);
    });
  }

  /** @throws {WsdlError} for the type that makes a line too long. */
  #assertLine(id: Id, { declaration: { tree } }: Unread, originals: readonly Original[]): void {
    const line =
      1 +
      originals.reduce((most, { name }) => Math.max(most, this.#lines.get(clark(name)) ?? 0), 0);
    this.#lines.set(id, line);
    if (line <= this.#derivations) return;
    const reason = `More than ${this.#derivations} types are derived from each other in one line (limit derivations).`;
    throw tree.unsupported(reason);
  }

  #read({ declaration, key, names }: Unread): void {
    const documentation = declaration.tree.documentation(XSD);
    const facts = documentation === undefined ? names : { ...names, documentation };
    const isComplex = declaration.tree.local === 'complexType';
    const read = isComplex ? complexType : simpleType;
    try {
      this.#types.set(key, read(declaration, facts, key, this));
    } catch (error) {
      this.passOver(error);
      this.#types.set(
        key,
        isComplex ? openType(facts) : { ...facts, kind: 'simple', base: 'string' },
      );
    }
  }

  #anyArray(): Type {
    const key = `{${SOAP_ENCODING}}Array`;
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const item: Element = {
      name: 'item',
      namespace: '',
      type: 'anyType',
      min: 0,
      max: 'unbounded',
      nillable: true,
    };
    const names = { name: 'Array', namespace: SOAP_ENCODING };
    const made = this.add({ ...names, kind: 'array', item, encoded: true }, 'ArrayOfAnyType');
    this.#keys.set(key, made);
    return made;
  }

  /**
   * Types not read yet that extend one that is; where an element is of any type, all there are
   * ([XmlInclude]).
   */
  *#polymorphic(): Generator<QName> {
    // To read one may read others.
    for (const name of this.#mayCome()) {
      const id = clark(name);
      if (!this.#keys.has(id) && !this.#unreadable.has(id)) yield name;
    }
  }

  *#mayCome(): Generator<QName> {
    for (const { anonymous, namespace: uri, name: local } of this.#types.values())
      if (!anonymous) yield* this.components.derivedOf({ uri, local });
    if (this.#hasAnyType) yield* this.components.declaredTypes;
  }

  #findExtended({ tree, schema }: Declaration): void {
    if (tree.uri === XSD && (tree.local === 'extension' || tree.local === 'restriction')) {
      const base =
        tree.attribute('base') === undefined ? undefined : reference(tree, 'base', schema);
      const declaration = base === undefined ? undefined : this.components.find('type', base);
      if (declaration !== undefined) this.#extended.add(declaration.tree);
    }
    for (const child of tree.children) this.#findExtended({ tree: child, schema });
  }
}

/** A type whose content nobody knows. */
function openType(names: Unread['names']): NamedType {
  const any = { kind: 'any', property: 'any', min: 0, max: 'unbounded' } as const;
  return { ...names, kind: 'object', content: [any], attributes: [], anyAttribute: true };
}

/**
 * What stands in the place of a type until it is read. Only a type that extends itself looks at it.
 */
function placeOf(key: string): NamedType {
  return { kind: 'object', name: key, namespace: '', content: [], attributes: [] };
}
