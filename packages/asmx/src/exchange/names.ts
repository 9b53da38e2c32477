import type { Operation, Service } from '../contract/service.ts';
import type { Element, NamedType, Particle } from '../contract/types.ts';
import { isNCName } from '../xml/chars.ts';

/**
 * Checks the names of a contract. Those of services, operations, parameters, members and types
 * become names of XML; operations and parameters are parts of paths and forms, too.
 * @throws {TypeError} with the first that is no NCName; that occurs twice among the operations, or
 *   among the parameters of one (which GET and POST read case-insensitively); or whose property
 *   means something else in every value.
 */
export function checkNames({ name, operations, types = {} }: Service): void {
  checkName(name, 'a service');
  checkDistinct(
    operations.map((operation) => operation.name),
    'an operation',
  );
  for (const operation of operations) checkOperation(operation);
  for (const [key, type] of Object.entries(types)) checkType(type, `types.${key}`);
}

function checkOperation(operation: Operation): void {
  const {
    name,
    operationName,
    parameters,
    result,
    out = [],
    input,
    output,
    headers,
    faults = [],
  } = operation;
  checkDistinct(
    parameters.map((parameter) => parameter.name.toLowerCase()),
    `a parameter of ${name}`,
  );
  for (const message of [operationName, input?.name, output?.name]) {
    if (message !== undefined) checkName(message, `a message of ${name}`);
  }
  const path = `operations.${name}`;
  for (const parameter of parameters) checkProperty(parameter.property ?? parameter.name, path);
  if (typeof result === 'object' && 'name' in result) checkElement(result, path);
  for (const element of [...out, ...(headers?.in ?? []), ...(headers?.out ?? [])])
    checkElement(element, path);
  for (const fault of faults) {
    checkName(fault.name, `a fault of ${name}`);
    checkName(fault.element.name, `an element of ${path}`);
  }
}

function checkType(type: NamedType, path: string): void {
  checkName(type.name, `a type (${path})`);
  if (type.kind === 'array') checkElement(type.item, path);
  if (type.kind !== 'object') return;
  for (const particle of type.content ?? []) checkParticle(particle, path);
  if (typeof type.anyAttribute === 'string') checkProperty(type.anyAttribute, path);
  for (const attribute of type.attributes ?? []) {
    checkProperty(attribute.property ?? attribute.name, path);
    checkName(attribute.name, `an attribute of ${path}`);
  }
}

function checkParticle(particle: Particle, path: string): void {
  if (particle.kind === 'sequence' || particle.kind === 'choice') {
    if (particle.property !== undefined) checkProperty(particle.property, path);
    for (const each of particle.content) checkParticle(each, path);
  } else if (particle.kind === 'any') checkProperty(particle.property ?? 'any', path);
  else checkElement(particle as Element, path);
}

function checkElement(element: Element, path: string): void {
  checkProperty(element.property ?? element.name, path);
  checkName(element.name, `an element of ${path}`);
}

function checkProperty(property: string, path: string): void {
  // Values of inherited types say in `$type` which they are; what every object inherits would be
  // read for an absent member.
  if (property === '$type' || isInherited(property))
    throw new TypeError(`${path}: no member may have the property ${property}.`);
}

/** Whether every JavaScript object has a property of that name. */
export function isInherited(property: string): boolean {
  return property in Object.prototype;
}

function checkDistinct(names: readonly string[], what: string): void {
  const known = new Set<string>();
  for (const name of names) {
    checkName(name, what);
    if (known.has(name))
      throw new TypeError(`${JSON.stringify(name)} is the name of ${what} twice.`);
    known.add(name);
  }
}

function checkName(name: string, what: string): void {
  if (typeof name !== 'string' || !isNCName(name))
    throw new TypeError(`${JSON.stringify(name)} cannot be the name of ${what}.`);
}
