import type { NamedType, Operation, Particle, Type } from './normal-form.ts';

/**
 * The types that operations use, directly or through others, with those that extend one of them, in
 * their order; all where one is any type.
 */
export function reachableTypes(
  types: Readonly<Record<string, NamedType>>,
  operations: readonly Operation[],
): Readonly<Record<string, NamedType>> {
  const reached = new Set<string>();
  const open: string[] = [];
  /** Whether a value may be of any type. */
  let isAny = false;
  const reach = (type: Type | undefined): void => {
    if (type === 'anyType' && !isAny) {
      isAny = true;
      for (const [ref, { anonymous }] of Object.entries(types)) if (!anonymous) reach({ ref });
    }
    if (type === undefined || typeof type === 'string' || reached.has(type.ref)) return;
    reached.add(type.ref);
    open.push(type.ref);
  };
  const derived = new Map<string, string[]>();
  for (const [key, type] of Object.entries(types)) {
    if (type.kind === 'object' && type.extends !== undefined) {
      derived.set(type.extends, [...(derived.get(type.extends) ?? []), key]);
    }
  }
  for (const { parameters, result, out, headers, faults } of operations) {
    const elements = [
      ...parameters,
      ...out,
      ...headers.in,
      ...headers.out,
      ...faults.map(({ element }) => element),
    ];
    for (const { type } of elements) reach(type);
    reach(result?.type);
  }
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    for (const type of typesIn(types[key]!)) reach(type);
    for (const each of derived.get(key) ?? []) reach({ ref: each });
  }
  return Object.fromEntries(Object.entries(types).filter(([key]) => reached.has(key)));
}

/** The types that a type is made of. */
function typesIn(type: NamedType): readonly Type[] {
  switch (type.kind) {
    case 'enumeration':
      return [type.base];
    case 'simple':
      return [type.base];
    case 'list':
      return [type.item];
    case 'union':
      return type.members;
    case 'array':
      return [type.item.type];
    case 'object': {
      const base = type.extends === undefined ? [] : [{ ref: type.extends }];
      const text = type.text === undefined ? [] : [type.text];
      return [
        ...base,
        ...text,
        ...type.content.flatMap(typesOfParticle),
        ...type.attributes.map((each) => each.type),
      ];
    }
  }
}

function typesOfParticle(particle: Particle): readonly Type[] {
  switch (particle.kind) {
    case 'any':
      return [];
    case 'sequence':
    case 'choice':
      return particle.content.flatMap(typesOfParticle);
    default:
      return [particle.type];
  }
}
