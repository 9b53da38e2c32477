import type { Header, Operation, Service } from '../contract/service.ts';
import type {
  Element,
  Facets,
  NamedType,
  ObjectType,
  Occurs,
  Particle,
} from '../contract/types.ts';
import { Pattern } from '../lexical/pattern/pattern.ts';
import { PatternError } from '../lexical/pattern/pattern-error.ts';

/**
 * Checks that a contract has the form of its types, for those that come as data or from JavaScript:
 * what everything else takes for granted. Names and types are checked where they are used.
 * @throws {TypeError} with the path of the first member that is wrong.
 */
export function checkShape(service: Service): void {
  const what = 'contract: it must come first, like createEndpoint(Hello, { path, handlers })';
  if (typeof service !== 'object' || service === null) throw new TypeError(`${what}.`);
  const { operations, types = {}, dateTimes } = service;
  checkForm(dateTimes, 'dateTimes');
  for (const [index, operation] of listAt(operations, 'operations').entries()) {
    checkOperation(operation, named(operation, `operations.${index}`, 'an operation'));
  }
  for (const [key, type] of Object.entries(objectAt(types, 'types')))
    checkType(type, `types.${key}`);
}

function checkOperation(
  { parameters, out = [], headers = {}, faults = [] }: Operation,
  path: string,
): void {
  checkElements(parameters, `${path}.parameters`);
  checkElements(out, `${path}.out`);
  checkElements(headers.in ?? [], `${path}.headers.in`);
  checkElements(headers.out ?? [], `${path}.headers.out`);
  for (const [index, fault] of listAt(faults, `${path}.faults`).entries()) {
    const at = named(fault, `${path}.faults.${index}`, 'a fault');
    checkElement(objectAt(fault.element, `${at}.element`), at);
  }
}

function checkElements(elements: readonly (Element | Header)[], path: string): void {
  for (const [index, element] of listAt(elements, path).entries())
    checkElement(element, named(element, `${path}.${index}`, 'an element'));
}

function checkElement({ min, max, maxLength, as }: Element, path: string): void {
  checkOccurs(min, max, path);
  checkCount(maxLength, `${path}.maxLength`);
  checkForm(as, `${path}.as`);
}

function checkOccurs(min: Occurs = 0, max: Occurs = 'unbounded', path: string): void {
  checkCount(min, `${path}.min`);
  if (max === 'unbounded') return;
  checkCount(max, `${path}.max`);
  if (Number(min) > max && max > 0) throw new TypeError(`${path}.max: it is less than min.`);
}

function checkCount(count: unknown, path: string): void {
  if (count === undefined || (Number.isSafeInteger(count) && Number(count) >= 0)) return;
  throw new TypeError(`${path}: it must be a whole number from 0, not ${JSON.stringify(count)}.`);
}

function checkForm(as: unknown, path: string): void {
  if (as === undefined || as === 'instant' || as === 'date' || as === 'text') return;
  throw new TypeError(`${path}: it must be instant, date or text, not ${JSON.stringify(as)}.`);
}

function checkType(type: NamedType, path: string): void {
  objectAt(type, path);
  switch (type.kind) {
    case 'array':
      checkElement(objectAt(type.item, `${path}.item`), `${path}.item`);
      if (type.rank !== undefined && (!(type.rank > 1) || !type.encoded))
        throw new TypeError(
          `${path}.rank: an encoded array has 2 dimensions or more, or says none.`,
        );
      checkCount(type.rank, `${path}.rank`);
      break;
    case 'list':
      checkPresent(type.item, `${path}.item`);
      break;
    case 'union':
      if (listAt(type.members, `${path}.members`).length === 0)
        throw new TypeError(`${path}.members: a union must have a member.`);
      break;
    case 'simple':
      checkPresent(type.base, `${path}.base`);
      checkFacets(type.facets, `${path}.facets`);
      break;
    case 'enumeration':
      checkValues(type.values, type.flags === true, `${path}.values`);
      if (type.zero !== undefined && !(type.flags && type.values.includes(type.zero)))
        throw new TypeError(`${path}.zero: it must be one of the values, which are flags.`);
      break;
    case 'object':
      checkObject(type, path);
  }
}

function checkObject(type: ObjectType, path: string): void {
  const { content = [], attributes = [], text, restricts, extends: base } = type;
  for (const [index, particle] of listAt(content, `${path}.content`).entries())
    checkParticle(particle, `${path}.content.${index}`);
  for (const [index, attribute] of listAt(attributes, `${path}.attributes`).entries()) {
    const at = named(attribute, `${path}.attributes.${index}`, 'an attribute');
    checkForm(attribute.as, `${at}.as`);
  }
  if (restricts === true && base === undefined)
    throw new TypeError(
      `${path}.restricts: the type extends none; say in extends which it restricts.`,
    );
  if (text !== undefined && content.length > 0)
    throw new TypeError(`${path}.text: a type with elements has no text; make it mixed.`);
}

function checkParticle(particle: Particle, path: string): void {
  const { kind = 'element' } = objectAt(particle, path);
  if (kind === 'element') {
    checkElement(particle as Element, named(particle as Element, path, 'an element'));
    return;
  }
  checkOccurs(particle.min, particle.max, path);
  if (kind === 'any') return;
  if (kind !== 'sequence' && kind !== 'choice')
    throw new TypeError(`${path}.kind: there is no kind ${JSON.stringify(kind)}.`);
  const { content } = particle as { readonly content: readonly Particle[] };
  for (const [index, each] of listAt(content, `${path}.content`).entries())
    checkParticle(each, `${path}.content.${index}`);
}

function checkValues(values: readonly string[], flags: boolean, path: string): void {
  const known = new Set<string>();
  for (const value of listAt(values, path)) {
    const shown = JSON.stringify(value);
    if (typeof value !== 'string') throw new TypeError(`${path}: ${shown} is not a text.`);
    if (known.has(value)) throw new TypeError(`${path}: ${shown} stands there twice.`);
    if (flags && !/^[^ \t\r\n]+$/.test(value))
      throw new TypeError(`${path}: ${shown} cannot be a flag; blanks stand between flags.`);
    known.add(value);
  }
}

function checkFacets(facets: Facets = {}, path: string): void {
  const { patterns = [], enumeration = [], ...limits } = facets;
  for (const [name, limit] of Object.entries(limits)) {
    if (COUNTS.has(name)) checkCount(limit, `${path}.${name}`);
    else if (limit !== undefined) checkText(limit, `${path}.${name}`);
  }
  for (const [at, text] of listAt(enumeration, `${path}.enumeration`).entries())
    checkText(text, `${path}.enumeration.${at}`);
  for (const [at, pattern] of listAt(patterns, `${path}.patterns`).entries()) {
    checkText(pattern, `${path}.patterns.${at}`);
    checkPattern(pattern, `${path}.patterns.${at}`);
  }
}

/** The facets that are numbers. */
const COUNTS: ReadonlySet<string> = new Set<keyof Facets>([
  ...(['length', 'minLength', 'maxLength', 'totalDigits', 'fractionDigits'] as const),
]);

function checkText(text: unknown, path: string): void {
  if (typeof text !== 'string') throw new TypeError(`${path}: it must be a text.`);
}

function checkPattern(pattern: string, path: string): void {
  try {
    new Pattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new TypeError(`${path}: this is no pattern that can be checked: ${error.message}.`);
  }
}

/** The path of what has a name, by that name. */
function named(value: { readonly name: string }, path: string, what: string): string {
  const { name } = objectAt(value, path);
  if (typeof name !== 'string') throw new TypeError(`${path}: ${what} must have a name.`);
  return path.replace(/[^.]*$/, () => name);
}

function listAt<T>(value: readonly T[], path: string): readonly T[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${path}: it must be a list.`);
}

function objectAt<T extends object>(value: T, path: string): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TypeError(`${path}: it must be an object.`);
}

function checkPresent(value: unknown, path: string): void {
  if (value === undefined) throw new TypeError(`${path}: there must be a type.`);
}
