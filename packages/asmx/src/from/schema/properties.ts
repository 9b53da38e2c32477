import type { NamedType, ObjectType, Particle } from '../normal-form.ts';

/**
 * Gives the members of each object type names of their own: two elements of one name, an attribute called like an
 * element, and what a derived type adds under a name of its base get a number.
 */
export function distinctProperties(types: Readonly<Record<string, NamedType>>): Readonly<Record<string, NamedType>> {
  const made: Record<string, NamedType> = {};
  const taken = new Map<string, ReadonlySet<string>>();

  const settle = (key: string): ReadonlySet<string> => {
    const known = taken.get(key);
    if (known !== undefined) return known;
    // A type that extends itself is refused elsewhere; here it must only end.
    taken.set(key, new Set());
    const type = types[key]!;
    const names = new Set(type.kind === 'object' && type.extends !== undefined ? settle(type.extends) : []);
    made[key] = type.kind === 'object' ? withProperties(type, names) : type;
    taken.set(key, names);
    return names;
  };

  for (const key of Object.keys(types)) settle(key);
  // In the order in which they were met.
  return Object.fromEntries(Object.keys(types).map((key) => [key, made[key]!]));
}

function withProperties(type: ObjectType, taken: Set<string>): ObjectType {
  if (type.text !== undefined) taken.add('value');
  const content = type.content.map((particle) => named(particle, taken));
  const attributes = type.attributes.map((attribute) => ({ ...attribute, ...property(attribute.name, taken) }));
  return { ...type, content, attributes };
}

function named(particle: Particle, taken: Set<string>): Particle {
  switch (particle.kind) {
    case 'sequence':
    case 'choice':
      return { ...particle, content: particle.content.map((each) => named(each, taken)) };
    case 'any': {
      const free = freeName('any', taken);
      return free === 'any' ? particle : { ...particle, property: free };
    }
    default:
      return { ...particle, ...property(particle.name, taken) };
  }
}

function property(name: string, taken: Set<string>): { readonly property?: string } {
  const free = freeName(name, taken);
  return free === name ? {} : { property: free };
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}${number}`;
  taken.add(free);
  return free;
}
