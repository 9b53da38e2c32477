import type { Service } from '../../contract/service.ts';
import type { NamedType, Type } from '../../contract/types.ts';
import { Extensions } from '../../values/extensions.ts';
import {
  ATTACHMENT_REFERENCES,
  MICROSOFT_TYPES,
  SOAP_ENCODING,
  XML,
  XSD,
} from '../../xml/namespace-names.ts';
import { type XmlNode, xml } from '../xml-tree.ts';

/** Prefixes that every WSDL declares. */
const USUAL: ReadonlyMap<string, string> = new Map([
  [XSD, 's'],
  [SOAP_ENCODING, 'soapenc'],
  [XML, 'xml'],
]);

interface OwnType {
  readonly namespace: string;
  readonly node: XmlNode;
}

/** Types that are not XML Schema's, written out: those of .NET as ASP.NET does. */
const OWN_TYPES: Readonly<Record<string, OwnType>> = {
  guid: {
    namespace: MICROSOFT_TYPES,
    node: xml('s:simpleType', { name: 'guid' }, [
      xml('s:restriction', { base: 's:string' }, [
        xml('s:pattern', {
          value: '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}',
        }),
      ]),
    ]),
  },
  char: restriction(MICROSOFT_TYPES, 'char', 's:unsignedShort'),
  swaRef: restriction(ATTACHMENT_REFERENCES, 'swaRef', 's:anyURI'),
};

function restriction(namespace: string, name: string, base: string): OwnType {
  return {
    namespace,
    node: xml('s:simpleType', { name }, [xml('s:restriction', { base })]),
  };
}

interface Schema {
  readonly nodes: XmlNode[];
  readonly imports: Set<string>;
  /** Names of typed DataSets whose schemas it imports. */
  readonly dataSets: Set<string>;
  readonly elements: Set<string>;
  readonly attributes: Set<string>;
}

/** Writes a type as an entry of its schema. */
export type WriteType = (key: string, type: NamedType, set: SchemaSet) => XmlNode;

/** The schemas of a service, one for each namespace, with what was asked for. */
export class SchemaSet {
  readonly namespace: string;
  readonly types: Readonly<Record<string, NamedType>>;
  readonly #forms: Service['forms'];
  readonly #dataSets: NonNullable<Service['dataSets']>;
  readonly #writeType: WriteType;
  readonly #order: readonly string[];
  readonly #schemas = new Map<string, Schema>();
  readonly #prefixes = new Map<string, string>(USUAL);
  readonly #written = new Set<string>();
  /**
   * Types in the order in which they were referred to; those from {@link #settled} on are not
   * written yet.
   */
  readonly #referred: string[] = [];
  #settled = 0;
  #isSettling = false;
  readonly #extensions: Extensions;

  constructor(service: Service, namespace: string, writeType: WriteType) {
    this.namespace = namespace;
    this.types = service.types ?? {};
    this.#extensions = new Extensions(this.types);
    this.#forms = service.forms;
    this.#dataSets = service.dataSets ?? {};
    this.#writeType = writeType;
    this.#order = service.schemas ?? [];
    this.#prefixes.set(namespace, 'tns');
  }

  /** The declarations of the prefixes that {@link name} has given, beside the usual ones. */
  get prefixes(): Readonly<Record<string, string>> {
    const given = [...this.#prefixes].filter(([uri]) => !USUAL.has(uri) && uri !== this.namespace);
    return Object.fromEntries(given.map(([uri, prefix]) => [`xmlns:${prefix}`, uri]));
  }

  /**
   * The schemas, in the order that the contract says, then in that of first use.
   * @param place by which it names those of typed DataSets.
   */
  nodes(place: (query: string) => string): XmlNode[] {
    // What nothing refers to may be the value of an element of any type ([XmlInclude]).
    for (const ref of Object.keys(this.types)) this.typeName({ ref });
    this.settle();
    const named = this.#order.filter((namespace) => this.#schemas.has(namespace));
    const namespaces = [...new Set([...named, ...this.#schemas.keys()])];
    return namespaces.map((targetNamespace) => {
      const { nodes, imports, dataSets } = this.#schema(targetNamespace);
      // Proxies of .NET put qualified elements of no namespace into that of the message.
      const unqualified =
        targetNamespace === '' || this.#forms?.[targetNamespace]?.elements === 'unqualified';
      const qualifies = this.#forms?.[targetNamespace]?.attributes === 'qualified';
      const form = {
        ...(unqualified ? {} : { elementFormDefault: 'qualified' }),
        ...(qualifies ? { attributeFormDefault: 'qualified' } : {}),
      };
      const imported = [
        ...[...imports].map((namespace) =>
          xml('s:import', namespaceAttribute('namespace', namespace)),
        ),
        ...[...dataSets].map((name) => {
          const schemaLocation = place(`schema=${encodeURIComponent(name)}`);
          return xml('s:import', { namespace: this.#dataSets[name]!.namespace, schemaLocation });
        }),
      ];
      const attributes = { ...form, ...namespaceAttribute('targetNamespace', targetNamespace) };
      return xml('s:schema', attributes, [...imported, ...nodes]);
    });
  }

  /** The namespace of those elements of a type that name none. */
  elementNamespace(namespace: string): string {
    return this.#forms?.[namespace]?.elements === 'unqualified' ? '' : namespace;
  }

  attributeIsQualified(namespace: string): boolean {
    return this.#forms?.[namespace]?.attributes === 'qualified';
  }

  /**
   * A name with its prefix; one of no namespace has none.
   * @param from the namespace of the schema that it stands in, which imports it.
   */
  name(uri: string, local: string, from?: string): string {
    if (from !== undefined && from !== uri && uri !== XSD) this.#schema(from).imports.add(uri);
    if (uri === '') return local;
    let prefix = this.#prefixes.get(uri);
    if (prefix === undefined) {
      prefix = `s${this.#prefixes.size - USUAL.size}`;
      this.#prefixes.set(uri, prefix);
    }
    return `${prefix}:${local}`;
  }

  /**
   * The namespace of a typed DataSet, whose schema is imported.
   * @param from the namespace of the schema that has it.
   */
  dataSet(name: string, from: string): string | undefined {
    if (!Object.hasOwn(this.#dataSets, name)) return undefined;
    this.#schema(from).dataSets.add(name);
    return this.#dataSets[name]!.namespace;
  }

  /**
   * A type's name; the type is written, if it is not.
   * @param from the namespace of the schema that refers to it.
   */
  typeName(type: Type, from?: string): string {
    if (typeof type === 'string') return this.#scalarName(type, from);
    const named = this.types[type.ref];
    if (named === undefined)
      throw new TypeError(`types.${type.ref}: the contract has no such type.`);
    if (!this.#written.has(type.ref)) {
      this.#written.add(type.ref);
      this.#referred.push(type.ref);
    }
    return this.name(named.namespace ?? this.namespace, named.name, from);
  }

  /** Adds a global element, once, and the types that it uses. */
  element(namespace: string, name: string, node: () => XmlNode): void {
    const schema = this.#schema(namespace);
    if (schema.elements.has(name)) return;
    schema.elements.add(name);
    // Its place is kept: what it refers to comes behind it.
    const at = schema.nodes.push(xml('s:element', { name })) - 1;
    schema.nodes[at] = node();
    this.settle();
  }

  attribute(namespace: string, name: string, node: () => XmlNode): void {
    const schema = this.#schema(namespace);
    if (schema.attributes.has(name)) return;
    schema.attributes.add(name);
    schema.nodes.push(node());
  }

  /** Writes the types that were referred to, those that they use, and those that extend them. */
  settle(): void {
    // A global element inside a type waits for its types until that one is written.
    if (this.#isSettling) return;
    this.#isSettling = true;
    while (this.#settled < this.#referred.length) {
      const key = this.#referred[this.#settled++]!;
      const type = this.types[key]!;
      const namespace = type.namespace ?? this.namespace;
      const { nodes } = this.#schema(namespace);
      const at = nodes.push(xml('s:complexType', { name: type.name })) - 1;
      nodes[at] = this.#writeType(key, type, this);
      for (const derived of this.#extensions.derived(key)) this.typeName({ ref: derived });
    }
    this.#isSettling = false;
  }

  #scalarName(type: string, from: string | undefined): string {
    const own = Object.hasOwn(OWN_TYPES, type) ? OWN_TYPES[type]! : undefined;
    if (own === undefined) return `s:${type}`;
    if (!this.#written.has(type)) {
      this.#written.add(type);
      this.#schema(own.namespace).nodes.push(own.node);
    }
    return this.name(own.namespace, type, from);
  }

  #schema(namespace: string): Schema {
    let schema = this.#schemas.get(namespace);
    if (schema === undefined) {
      schema = {
        nodes: [],
        imports: new Set(),
        dataSets: new Set(),
        elements: new Set(),
        attributes: new Set(),
      };
      this.#schemas.set(namespace, schema);
    }
    return schema;
  }
}

/** An attribute with a namespace; no namespace is said by leaving the attribute out. */
function namespaceAttribute(name: string, namespace: string): Readonly<Record<string, string>> {
  return namespace === '' ? {} : { [name]: namespace };
}
