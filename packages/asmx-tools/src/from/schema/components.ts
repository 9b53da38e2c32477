import { XSD } from '@ws01/asmx/internal/xml/namespace-names';
import { escapeAttribute } from '@ws01/asmx/internal/xml/writer';
import { loadLimits } from '../load/limits.ts';
import type { LoadedWsdl, SchemaDocument } from '../load/load.ts';
import { wellKnownSchema } from '../load/well-known.ts';
import { clark, type QName, readXml, type XmlTree } from '../load/xml-document.ts';
import type { WsdlError } from '../wsdl-error.ts';

/** A declaration with the schema whose rules hold for it. */
export interface Declaration {
  readonly tree: XmlTree;
  readonly schema: SchemaDocument;
}

const KINDS = {
  element: 'element',
  attribute: 'attribute',
  complexType: 'type',
  simpleType: 'type',
  group: 'group',
  attributeGroup: 'attributeGroup',
} as const;

/**
 * References to groups that are followed at most: those of groups that hold groups twice multiply.
 */
const MAX_GROUPS = 100_000;

type Kind = (typeof KINDS)[keyof typeof KINDS];

/** The global declarations of all schemas of a WSDL. */
export class Components {
  /** Local names of all global types: anonymous types avoid them. */
  readonly typeNames = new Set<string>();
  /** The names of all types that the documents declare. */
  readonly declaredTypes: readonly QName[];
  readonly #byKind: Record<Kind, Map<string, Declaration>> = {
    element: new Map(),
    attribute: new Map(),
    type: new Map(),
    group: new Map(),
    attributeGroup: new Map(),
  };
  /** Of elements and of types: those that can stand for them, by Clark's notation. */
  readonly #substitutes = new Map<string, QName[]>();
  readonly #derived = new Map<string, QName[]>();
  /** How many definitions were redefined. */
  #redefined = 0;
  /** How often groups were asked for. */
  #groups = 0;

  /** Namespaces that have a schema. */
  readonly #namespaces = new Set<string>();
  /** Well-known namespaces that were asked for. */
  readonly #wellKnown = new Set<string>();

  readonly #absent: LoadedWsdl['absent'];
  readonly #passOver: (error: WsdlError) => void;

  /** @param passOver called for a declaration that is missing; it throws if that is an error. */
  constructor(
    { schemas, absent }: Pick<LoadedWsdl, 'schemas' | 'absent'>,
    passOver: (error: WsdlError) => void,
  ) {
    this.#absent = absent;
    this.#passOver = passOver;
    // What is redefined is known by its name only to what redefines it.
    for (const schema of schemas)
      for (const { children } of schema.root.of(XSD, 'redefine')) this.#redefine(children, schema);
    for (const schema of schemas) this.#take(schema);
    this.declaredTypes = [...this.#byKind.type.values()].map(({ tree, schema }) => ({
      uri: schema.targetNamespace,
      local: tree.name,
    }));
  }

  /**
   * A global declaration; of a well-known namespace what is known of it, as far as no document has
   * it.
   */
  find(kind: Kind, name: QName): Declaration | undefined {
    const found = this.#byKind[kind].get(clark(name));
    if (found !== undefined || this.#wellKnown.has(name.uri)) return found;
    this.#wellKnown.add(name.uri);
    const root = wellKnownSchema(name.uri);
    if (root === undefined) return undefined;
    this.#take({ root, targetNamespace: name.uri });
    return this.#byKind[kind].get(clark(name));
  }

  #take(schema: SchemaDocument): void {
    this.#namespaces.add(schema.targetNamespace);
    for (const { kind, local, tree } of globalsOf(schema.root.of(XSD)))
      this.#add(kind, local, { tree, schema });
  }

  /** Takes what redefines something of another document (XML Schema part 1, 4.2.2). */
  #redefine(children: readonly XmlTree[], schema: SchemaDocument): void {
    for (const { kind, local, tree } of globalsOf(children)) {
      const as = `${local}.redefined${this.#redefined++ || ''}`;
      this.#add(kind, local, { tree, schema: { ...schema, redefines: { local, as } } });
    }
  }

  /**
   * A global declaration.
   * @throws {WsdlError} when there is none or its schema is absent, or groups of groups multiply.
   */
  get(kind: Kind, name: QName, at: XmlTree): Declaration {
    if (kind === 'group' || kind === 'attributeGroup') this.#countGroup(at);
    const found = this.find(kind, name);
    if (found !== undefined) return found;
    const nowhere = this.#nowhere(kind, name, at);
    // What takes the place of a type depends on where it stands.
    if (kind === 'type') throw nowhere;
    this.#passOver(nowhere);
    const xml = `<s:schema xmlns:s="${XSD}"><s:${kind} name="${escapeAttribute(name.local)}"/></s:schema>`;
    const root = readXml(Buffer.from(xml), at.file, loadLimits());
    const declaration = { tree: root.children[0]!, schema: { root, targetNamespace: name.uri } };
    this.#byKind[kind].set(clark(name), declaration);
    return declaration;
  }

  #nowhere(kind: Kind, name: QName, at: XmlTree): WsdlError {
    const reason = this.#absent.get(name.uri);
    if (reason !== undefined) return reason;
    const where = name.uri === '' ? 'without a namespace' : `of the namespace ${name.uri}`;
    const absent = this.#namespaces.has(name.uri)
      ? ''
      : ' No schema of this namespace is here: save it beside the WSDL, and name the file in the schemaLocation of its import.';
    const told = `The ${kind} ${name.local} ${where} is nowhere.${absent}`;
    return at.unreadable(told);
  }

  #countGroup(at: XmlTree): void {
    this.#groups++;
    if (this.#groups <= MAX_GROUPS) return;
    throw at.unsupported(`Groups are referred to more than ${MAX_GROUPS} times.`);
  }

  /** Elements that may are in the place of one. */
  substitutesOf(name: QName): readonly QName[] {
    return this.#substitutes.get(clark(name)) ?? [];
  }

  /** Types that extend or restrict one: they may come in its place, by xsi:type. */
  derivedOf(name: QName): readonly QName[] {
    return this.#derived.get(clark(name)) ?? [];
  }

  /** The first declaration of a name counts: an included file may be there by several ways. */
  #add(kind: Kind, local: string, declaration: Declaration): void {
    const uri = declaration.schema.targetNamespace;
    const map = this.#byKind[kind];
    const known = map.get(clark({ uri, local }));
    if (known !== undefined) {
      const { redefines } = known.schema;
      if (redefines !== undefined) this.#add(kind, redefines.as, declaration);
      return;
    }
    const name = { uri, local };
    map.set(clark(name), declaration);
    if (kind === 'type') {
      this.typeNames.add(local);
      for (const content of declaration.tree.of(XSD, 'complexContent', 'simpleContent'))
        for (const derivation of content.of(XSD, 'extension', 'restriction'))
          append(this.#derived, reference(derivation, 'base', declaration.schema), name);
    }
    if (kind === 'element' && declaration.tree.attribute('substitutionGroup') !== undefined) {
      append(
        this.#substitutes,
        reference(declaration.tree, 'substitutionGroup', declaration.schema),
        name,
      );
    }
  }
}

/** The global declarations among the children of a schema, or of a redefinition. */
function globalsOf(children: readonly XmlTree[]) {
  return children.flatMap((tree) => {
    const kind = KINDS[tree.local as keyof typeof KINDS];
    const local = tree.attribute('name');
    return kind === undefined || local === undefined ? [] : [{ kind, local, tree }];
  });
}

function append(map: Map<string, QName[]>, key: QName | undefined, value: QName): void {
  if (key === undefined) return;
  const values = map.get(clark(key));
  if (values === undefined) map.set(clark(key), [value]);
  else values.push(value);
}

/**
 * A name that an attribute refers to; in a schema included without its own namespace, the including
 * one's.
 */
export function reference(
  tree: XmlTree,
  attribute: string,
  schema: SchemaDocument,
): QName | undefined {
  const said = tree.qname(attribute);
  if (said === undefined) return undefined;
  const name = inSchema(said, schema);
  const { redefines, targetNamespace } = schema;
  const isItself = redefines?.local === name.local && targetNamespace === name.uri;
  return isItself && REDEFINED.has(tree.local) ? { ...name, local: redefines.as } : name;
}

/** Where a definition that redefines another one of its name refers to that. */
const REDEFINED = new Set(['extension', 'restriction', 'group', 'attributeGroup']);

export function inSchema(name: QName, schema: SchemaDocument): QName {
  const adopted = name.uri === '' && schema.root.attribute('targetNamespace') === undefined;
  return adopted ? { uri: schema.targetNamespace, local: name.local } : name;
}
