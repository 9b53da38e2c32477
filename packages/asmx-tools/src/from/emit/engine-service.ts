import { isReference, sampleOf } from '@ws01/asmx/internal/contract/scalar-facts';
import type {
  BodyName as EngineBodyName,
  Operation as EngineOperation,
  Service as EngineService,
  Parameter,
} from '@ws01/asmx/internal/contract/service';
import type {
  Attribute as EngineAttribute,
  Element as EngineElement,
  Particle as EngineParticle,
  NamedType as EngineType,
  Type as EngineTypeName,
} from '@ws01/asmx/internal/contract/types';
import { faultMessage, headerMessage } from '@ws01/asmx/internal/describe/wsdl/messages';
import type {
  Attribute,
  BodyName,
  Element,
  Header,
  NamedType,
  Operation,
  Particle,
  Service,
} from '../normal-form.ts';
import { looksSecret } from '../secret-names.ts';

/**
 * A contract that was read, as the engine's own: what is as ASP.NET has it anyway is left out.
 * @param secrets names of secrets beside those that look so, in whatever case.
 */
export function engineService(service: Service, secrets: readonly string[] = []): EngineService {
  return new Tidying(service, secrets).service();
}

const KINDS = ['soap11', 'soap12', 'get', 'post'] as const;
const USUAL_PORTS = { soap11: 'Soap', soap12: 'Soap12', get: 'HttpGet', post: 'HttpPost' } as const;

/**
 * By these names clients choose a port when they read the WSDL at run time, and generators name
 * classes. Of several ports of a kind the first counts.
 */
function namesOfPorts({
  name,
  ports,
  portType,
}: Service): Pick<EngineService, 'ports' | 'portType'> {
  const usual = (kind: (typeof KINDS)[number]) => `${name}${USUAL_PORTS[kind]}`;
  const first = KINDS.flatMap((kind) => ports.find((port) => port.kind === kind) ?? []);
  const bindings = new Set(first.map(({ binding }) => binding));
  // Where tools gave one binding's name to another port, only the ports keep theirs.
  const isDistinct = bindings.size === first.length && !bindings.has('');
  const own = first.flatMap(({ name: port, kind, binding }) => {
    const named = isDistinct && binding !== port ? { name: port, binding } : port;
    return named === usual(kind) ? [] : [[kind, named] as const];
  });
  const soap = first.find(({ kind }) => kind === 'soap11' || kind === 'soap12');
  const soapBinding = isDistinct ? soap?.binding : soap?.name;
  const others = first.filter(({ kind }) => kind === 'get' || kind === 'post');
  const keepsType =
    portType !== undefined &&
    (portType !== soapBinding || soap?.kind === 'soap12') &&
    !others.some(({ binding }) => binding === portType);
  return {
    ...(own.length === 0 ? {} : { ports: Object.fromEntries(own) }),
    ...(keepsType ? { portType } : {}),
  };
}

class Tidying {
  readonly #service: Service;
  readonly #types: Readonly<Record<string, EngineType>>;

  readonly #secrets: ReadonlySet<string>;

  /** The namespaces of types most of whose elements are in none. */
  readonly #unqualified: ReadonlySet<string>;

  /**
   * By name, what is in a message. The names of those that the engine makes of headers and
   * faults are taken.
   */
  readonly #messages: Map<string, string>;

  constructor(service: Service, secrets: readonly string[]) {
    this.#secrets = new Set(secrets.map((name) => name.toLowerCase()));
    this.#service = service;
    this.#messages = new Map(
      service.operations.flatMap(({ name, headers, faults }) =>
        [
          ...[...headers.in, ...headers.out].map((header) => headerMessage(name, header)),
          ...faults.map((fault) => faultMessage(name, fault)),
        ].map((message) => [message, '']),
      ),
    );
    this.#unqualified = unqualifiedIn(Object.values(service.types));
    this.#types = service.types as Readonly<Record<string, EngineType>>;
  }

  service(): EngineService {
    const { name, namespace, documentation, addressing, operations, types, ports } = this.#service;
    const { dataSets, schemas } = this.#service;
    const kinds = new Set(ports.map(({ kind }) => kind));
    const named = Object.entries(types).map(([key, type]) => [key, this.#type(type)] as const);
    return {
      name,
      namespace,
      ...(documentation === undefined ? {} : { documentation }),
      operations: operations.map((operation) => this.#operation(operation)),
      ...(named.length === 0 ? {} : { types: Object.fromEntries(named) }),
      ...(dataSets === undefined ? {} : { dataSets }),
      ...(schemas === undefined ? {} : { schemas }),
      ...(this.#unqualified.size === 0 ? {} : { forms: this.#forms() }),
      ...(addressing ? { addressing } : {}),
      dateTimes: 'date',
      bindings: KINDS.filter((kind) => kinds.has(kind)),
      ...namesOfPorts(this.#service),
    };
  }

  #forms(): NonNullable<EngineService['forms']> {
    const namespaces = [...this.#unqualified];
    return Object.fromEntries(namespaces.map((each) => [each, { elements: 'unqualified' }]));
  }

  #operation(operation: Operation): EngineOperation {
    const {
      name,
      operationName,
      documentation,
      parameters,
      style,
      use,
      action,
      action12,
      answerAction,
      input,
      output,
      result,
      out,
      headers,
      faults,
    } = operation;
    const { namespace } = this.#service;
    const inside = style === 'rpc' ? '' : namespace;
    const results = result === undefined ? out : [result, ...out];
    const asked = this.#body(operation, input, name, parameters);
    const answer =
      output === undefined ? undefined : this.#body(operation, output, `${name}Response`, results);
    const usualAction = `${namespace.replace(/\/$/, '')}/${name}`;
    return {
      name,
      ...(operationName === undefined ? {} : { operationName }),
      documentation: documentation ?? '',
      parameters: parameters.map((element) => this.#parameter(element, inside)),
      ...(result === undefined ? {} : { result: this.#result(operation, result, inside) }),
      ...(out.length === 0 ? {} : { out: out.map((element) => this.#element(element, inside)) }),
      ...(style === 'wrapped' ? {} : { style }),
      ...(use === 'literal' ? {} : { use }),
      ...(asked === undefined ? {} : { input: asked }),
      ...(answer === undefined ? {} : { output: answer }),
      ...(action === usualAction ? {} : { action }),
      ...(action12 === undefined ? {} : { action12 }),
      ...(answerAction === undefined ? {} : { answerAction }),
      ...(output === undefined ? { oneWay: true } : {}),
      ...(headers.in.length + headers.out.length === 0 ? {} : { headers: this.#headers(headers) }),
      ...(faults.length === 0
        ? {}
        : {
            faults: faults.map((fault) => ({
              name: fault.name,
              element: this.#element(fault.element, namespace),
              ...(fault.use === undefined ? {} : { use: fault.use }),
              ...(fault.action === undefined ? {} : { action: fault.action }),
            })),
          }),
    };
  }

  /**
   * @param usual what its element is called when it says nothing. @param elements what the
   * message holds.
   */
  #body(
    { name, style }: Operation,
    { message, part, ...element }: BodyName,
    usual: string,
    elements: readonly Element[],
  ): EngineBodyName | undefined {
    const usualMessage = usual === name ? `${name}SoapIn` : `${name}SoapOut`;
    const keepsMessage =
      message !== undefined &&
      message !== usualMessage &&
      this.#isFree(message, [style, element, part, elements]);
    const { namespace, ...facts } = element;
    const body: EngineBodyName = {
      ...facts,
      ...(namespace === this.#service.namespace ? {} : { namespace }),
      ...(keepsMessage ? { message } : {}),
      ...(part === undefined || part === 'parameters' || style === 'rpc' ? {} : { part }),
    };
    return Object.keys(body).length === 1 && body.name === usual ? undefined : body;
  }

  /**
   * Whether a message of the WSDL can keep its name: no other that is served has it, with other
   * parts.
   */
  #isFree(message: string, parts: unknown): boolean {
    const content = JSON.stringify(parts);
    const known = this.#messages.get(message);
    if (known === undefined) this.#messages.set(message, content);
    return known === undefined || known === content;
  }

  #headers({ in: asked, out }: Operation['headers']): NonNullable<EngineOperation['headers']> {
    const { namespace } = this.#service;
    const all = (elements: readonly Header[]) =>
      elements.map((element) => ({
        ...this.#element(element, namespace),
        ...(element.use === undefined ? {} : { use: element.use }),
      }));
    return {
      ...(asked.length === 0 ? {} : { in: all(asked) }),
      ...(out.length === 0 ? {} : { out: all(out) }),
    };
  }

  #result(
    { name, style }: Operation,
    element: Element,
    inside: string,
  ): EngineTypeName | EngineElement {
    const tidy = this.#element(element, inside);
    const { name: own, type, ...more } = tidy;
    const usual = style === 'wrapped' && own === `${name}Result` && Object.keys(more).length === 0;
    return usual ? type : tidy;
  }

  #parameter(element: Element, inside: string): Parameter {
    const { documentation, ...tidy } = this.#element(element, inside);
    return {
      ...tidy,
      documentation: documentation ?? '',
      sample: typeof element.type === 'string' ? sampleOf(element.type) : '',
    };
  }

  /** @param inside the namespace that an element has there when it says none. */
  #element(element: Element, inside: string): EngineElement {
    const {
      name,
      namespace,
      property,
      type,
      min,
      max,
      nillable,
      default: initial,
      fixed,
      documentation,
      attachment,
      dataSet,
    } = element;
    const usual = isReference(type as EngineTypeName, this.#types) ? 0 : 1;
    return {
      name,
      ...(namespace === inside || attachment !== undefined ? {} : { namespace }),
      ...(property === undefined ? {} : { property }),
      type: type as EngineTypeName,
      ...(min === usual && !nillable ? {} : { min }),
      ...(max === 1 ? {} : { max }),
      ...(nillable ? { nillable } : {}),
      ...(initial === undefined ? {} : { default: initial }),
      ...(fixed === undefined ? {} : { fixed }),
      ...(documentation === undefined ? {} : { documentation }),
      ...(attachment === undefined ? {} : { attachment }),
      ...(dataSet === undefined ? {} : { dataSet }),
      ...(this.#isSecret(element) ? { secret: true } : {}),
    };
  }

  #isSecret({ name, type }: Element): boolean {
    if (this.#secrets.has(name.toLowerCase())) return true;
    return typeof type === 'string' && type !== 'boolean' && looksSecret(name);
  }

  #particle(particle: Particle, inside: string): EngineParticle {
    switch (particle.kind) {
      case 'any':
        return particle;
      case 'sequence':
      case 'choice': {
        const { kind, property, min, max, content } = particle;
        return {
          kind,
          ...(property === undefined ? {} : { property }),
          ...(min === 1 ? {} : { min }),
          ...(max === 1 ? {} : { max }),
          content: content.map((each) => this.#particle(each, inside)),
        };
      }
      default:
        return this.#element(particle, inside);
    }
  }

  #type(type: NamedType): EngineType {
    const { namespace, ...rest } = type;
    const own = namespace === this.#service.namespace ? {} : { namespace };
    const inside = this.#unqualified.has(namespace) ? '' : namespace;
    switch (rest.kind) {
      case 'array': {
        // An item that says no least number may be absent, whatever its type.
        const { min } = rest.item;
        const item = { ...this.#element(rest.item, inside), ...(min === 0 ? {} : { min }) };
        return { ...rest, ...own, item } as EngineType;
      }
      case 'object': {
        const { content, attributes, ...facts } = rest;
        return {
          ...facts,
          ...own,
          ...(content.length === 0
            ? {}
            : { content: content.map((particle) => this.#particle(particle, inside)) }),
          ...(attributes.length === 0
            ? {}
            : { attributes: attributes.map((attribute) => this.#attribute(attribute)) }),
        } as EngineType;
      }
      case 'enumeration': {
        const { base, ...facts } = rest;
        return { ...facts, ...own, ...(base === 'string' ? {} : { base }) } as EngineType;
      }
      default:
        return { ...rest, ...own } as EngineType;
    }
  }

  #attribute({ namespace, ...attribute }: Attribute): EngineAttribute {
    return {
      ...attribute,
      ...(namespace === '' ? {} : { namespace }),
    } as EngineAttribute;
  }
}

/** Namespaces whose types have more elements in no namespace than in the namespace of the type. */
function unqualifiedIn(types: readonly NamedType[]): ReadonlySet<string> {
  const votes = new Map<string, number>();
  for (const type of types) {
    const count = (particle: Particle): void => {
      if ('content' in particle) for (const each of particle.content) count(each);
      else if (particle.kind !== 'any' && type.namespace !== '') {
        const against = particle.namespace === type.namespace ? -1 : 0;
        const vote = particle.namespace === '' ? 1 : against;
        votes.set(type.namespace, (votes.get(type.namespace) ?? 0) + vote);
      }
    };
    if (type.kind === 'object') type.content.forEach(count);
    if (type.kind === 'array') count(type.item);
  }
  return new Set([...votes].flatMap(([namespace, sum]) => (sum > 0 ? [namespace] : [])));
}
