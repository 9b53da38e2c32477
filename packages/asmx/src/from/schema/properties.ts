import { isInherited } from '../../contract/names.ts';
import type { NamedType, ObjectType, Operation, Particle } from '../normal-form.ts';

/**
 * Gives the members of each object type names of their own: two elements of one name, an attribute called like an
 * element, what a derived type adds under a name of its base, and what is called like a property that every JavaScript
 * object has, such as `constructor`, get a number.
 */
export function distinctProperties(types: Readonly<Record<string, NamedType>>): Readonly<Record<string, NamedType>> {
  const made: Record<string, NamedType> = {};
  const taken = new Map<string, FreeNames>();

  const settle = (key: string): FreeNames => {
    const known = taken.get(key);
    if (known !== undefined) return known;
    // A type that extends itself is refused elsewhere; here it must only end.
    taken.set(key, new FreeNames());
    const type = types[key]!;
    const names = new FreeNames(
      type.kind === 'object' && type.extends !== undefined ? settle(type.extends) : undefined,
    );
    made[key] = type.kind === 'object' ? withProperties(type, names) : type;
    taken.set(key, names);
    return names;
  };

  for (const key of Object.keys(types)) settle(key);
  // In the order in which they were met.
  return Object.fromEntries(Object.keys(types).map((key) => [key, made[key]!]));
}

/** The same for the parameters, results and headers of an operation. */
export function withOwnProperties(operation: Operation): Operation {
  const own = <E extends { readonly name: string }>(element: E): E => ({
    ...element,
    ...property(element.name, new FreeNames()),
  });
  const { parameters, result, out, headers } = operation;
  return {
    ...operation,
    parameters: parameters.map(own),
    ...(result === undefined ? {} : { result: own(result) }),
    out: out.map(own),
    headers: { in: headers.in.map(own), out: headers.out.map(own) },
  };
}

function withProperties(type: ObjectType, taken: FreeNames): ObjectType {
  if (type.text !== undefined) taken.take('value');
  const content = type.content.map((particle) => named(particle, taken));
  const attributes = type.attributes.map((attribute) => ({ ...attribute, ...property(attribute.name, taken) }));
  return { ...type, content, attributes };
}

function named(particle: Particle, taken: FreeNames): Particle {
  switch (particle.kind) {
    case 'sequence':
    case 'choice':
      return { ...particle, content: particle.content.map((each) => named(each, taken)) };
    case 'any': {
      const free = taken.take('any');
      return free === 'any' ? particle : { ...particle, property: free };
    }
    default:
      return { ...particle, ...property(particle.name, taken) };
  }
}

function property(name: string, taken: FreeNames): { readonly property?: string } {
  const free = taken.take(name);
  return free === name ? {} : { property: free };
}

/** The names of a type's members, and behind them those of its base. */
class FreeNames {
  readonly #base: FreeNames | undefined;
  readonly #taken = new Set<string>();
  /** By name, the first number that may be free: thousands may have one name. */
  readonly #next = new Map<string, number>();

  constructor(base?: FreeNames) {
    this.#base = base;
  }

  /** Takes a name, with a number where it is not free. */
  take(name: string): string {
    let free = name;
    let number = this.#nextOf(name);
    while (this.#has(free) || isInherited(free)) free = `${name}${number++}`;
    this.#next.set(name, number);
    this.#taken.add(free);
    return free;
  }

  #has(name: string): boolean {
    for (let at: FreeNames | undefined = this; at !== undefined; at = at.#base) if (at.#taken.has(name)) return true;
    return false;
  }

  #nextOf(name: string): number {
    for (let at: FreeNames | undefined = this; at !== undefined; at = at.#base) {
      const next = at.#next.get(name);
      if (next !== undefined) return next;
    }
    return 2;
  }
}
