import type { Operation, Service } from '../../contract/service.ts';
import type { Element, NamedType, Type } from '../../contract/types.ts';
import { resultElement } from '../../values/message-plan.ts';
import { globalElement } from '../schema/particles.ts';
import type { SchemaSet } from '../schema/schema-set.ts';
import { type XmlNode, xml } from '../xml-tree.ts';

export type HttpKind = 'HttpGet' | 'HttpPost';

/** Scalars that a form value cannot be. */
const NOT_IN_FORMS = new Set(['xml', 'DataSet', 'DataTable', 'anyType']);

/** The operations that GET and POST can call: their parameters are scalars and lists of such. */
export function formOperations({ operations, types = {} }: Service): readonly Operation[] {
  return operations.filter(
    ({ style, parameters, headers }) =>
      style !== 'bare' &&
      !headers?.in?.some(({ required }) => required) &&
      parameters.every(({ type }) => isFormType(type, types)),
  );
}

function isFormType(type: Type, types: Readonly<Record<string, NamedType>>): boolean {
  if (typeof type === 'string') return !NOT_IN_FORMS.has(type);
  const named = types[type.ref];
  if (named?.kind === 'array')
    return typeof named.item.type === 'string'
      ? !NOT_IN_FORMS.has(named.item.type)
      : isSimple(named.item.type, types);
  return isSimple(type, types);
}

function isSimple(type: Type, types: Readonly<Record<string, NamedType>>): boolean {
  if (typeof type === 'string') return !NOT_IN_FORMS.has(type);
  const kind = types[type.ref]?.kind;
  return kind === 'simple' || kind === 'enumeration' || kind === 'list' || kind === 'union';
}

/**
 * The messages of GET or POST: each parameter a text, the result an element named after its type.
 */
export function httpMessages(
  operations: readonly Operation[],
  kind: HttpKind,
  set: SchemaSet,
): XmlNode[] {
  return operations.flatMap((operation) => {
    const { name, parameters } = operation;
    const parts = parameters.map((parameter) =>
      xml('wsdl:part', { name: parameter.name, type: 's:string' }),
    );
    const result = resultElement(operation);
    const body =
      result === undefined
        ? []
        : [xml('wsdl:part', { name: 'Body', element: answerName(result, set) })];
    return [
      xml('wsdl:message', { name: `${name}${kind}In` }, parts),
      ...(operation.oneWay ? [] : [xml('wsdl:message', { name: `${name}${kind}Out` }, body)]),
    ];
  });
}

/** Adds the root elements of the answers in ASP.NET's order: texts and booleans first. */
export function addAnswerElements(operations: readonly Operation[], set: SchemaSet): void {
  const results = operations.map(resultElement).filter((element) => element !== undefined);
  const rank = ({ type }: Element) => {
    if (type === 'string') return 0;
    return type === 'boolean' ? 1 : 2;
  };
  for (const element of [...results].sort((a, b) => rank(a) - rank(b))) {
    const { namespace, name } = answerOf(element, set);
    const { type } = element;
    const nillable = isNillable(type, set) ? { nillable: true as const } : {};
    globalElement(namespace, { name, type, ...nillable }, set);
  }
}

function answerName(element: Element, set: SchemaSet): string {
  const { namespace, name } = answerOf(element, set);
  return set.name(namespace, name);
}

function answerOf({ type }: Element, set: SchemaSet) {
  const named = typeof type === 'string' ? undefined : set.types[type.ref];
  return { namespace: named?.namespace ?? set.namespace, name: named?.name ?? (type as string) };
}

function isNillable(type: Type, set: SchemaSet): boolean {
  if (typeof type === 'string') return type === 'string' || type === 'base64Binary';
  const kind = set.types[type.ref]?.kind;
  return kind === 'object' || kind === 'array';
}
