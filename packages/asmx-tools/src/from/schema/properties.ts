import { isInherited } from '@ws01/asmx/internal/exchange/names';
import { Extensions } from '@ws01/asmx/internal/values/extensions';
import type { Element, Group, NamedType, ObjectType, Operation, Particle } from '../normal-form.ts';

/**
 * Gives each member of an object type a name of its own. A number is added to: the second of two
 * elements of one name; an attribute called like an element; a member of a derived type that has a
 * name of its base; a name that every JavaScript object has, such as `constructor`.
 */
export function distinctProperties(
  types: Readonly<Record<string, NamedType>>,
): Readonly<Record<string, NamedType>> {
  const made = new Map<string, NamedType>();
  const families = new Extensions(types);
  // What restricts its base has none of its members.
  const lines = [new FreeNames()];
  const isOwn = (key: string) => 'restricts' in types[key]!;
  const settle = (root: string) =>
    families.visit(root, {
      enter: (key) => {
        if (isOwn(key)) lines.push(new FreeNames());
        const names = lines.at(-1)!;
        names.open();
        const type = types[key]!;
        made.set(key, type.kind === 'object' ? withProperties(type, names) : type);
      },
      leave: (key) => {
        lines.at(-1)!.close();
        if (isOwn(key)) lines.pop();
      },
    });
  for (const [key, type] of Object.entries(types)) {
    if (type.kind !== 'object' || type.extends === undefined) settle(key);
  }
  // Types that extend each other in a circle have none that is the first. They are refused when
  // they are served.
  return Object.fromEntries(
    Object.entries(types).map(([key, type]) => [key, made.get(key) ?? type]),
  );
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
  const attributes = type.attributes.map((attribute) => ({
    ...attribute,
    ...property(attribute.name, taken),
  }));
  const others = type.anyAttribute ? taken.take('attributes') : undefined;
  return {
    ...type,
    content,
    attributes,
    ...(others === undefined || others === 'attributes' ? {} : { anyAttribute: others }),
  };
}

/**
 * @param shared the properties of elements that branches of a choice before this one have, too: a
 *   value has one branch.
 */
function named(
  particle: Particle,
  taken: FreeNames,
  shared: ReadonlyMap<string, string> = new Map(),
): Particle {
  switch (particle.kind) {
    case 'sequence':
    case 'choice': {
      if (particle.max === 1)
        return { ...particle, content: contentNamed(particle, taken, shared) };
      const free = taken.take('items');
      const content = contentNamed(particle, new FreeNames(), new Map());
      return { ...particle, ...(free === 'items' ? {} : { property: free }), content };
    }
    case 'any': {
      const free = taken.take('any');
      return free === 'any' ? particle : { ...particle, property: free };
    }
    default: {
      const known = shared.size === 0 ? undefined : shared.get(sameElement(particle));
      if (known === undefined) return { ...particle, ...property(particle.name, taken) };
      return known === particle.name ? particle : { ...particle, property: known };
    }
  }
}

function contentNamed(
  { kind, content }: Group,
  taken: FreeNames,
  around: ReadonlyMap<string, string>,
): Particle[] {
  const shared = new Map(around);
  return content.map((each) => {
    const made = named(each, taken, shared);
    if (kind === 'choice')
      for (const element of elementsOf(made))
        shared.set(sameElement(element), element.property ?? element.name);
    return made;
  });
}

/** The elements of a particle that are properties of the object around it. */
function elementsOf(particle: Particle): readonly Element[] {
  if (particle.kind === 'any') return [];
  if (particle.kind !== 'sequence' && particle.kind !== 'choice') return [particle as Element];
  return particle.max === 1 ? particle.content.flatMap(elementsOf) : [];
}

const sameElement = ({ name, namespace, type, max }: Element): string =>
  JSON.stringify([name, namespace, type, max]);

function property(name: string, taken: FreeNames): { readonly property?: string } {
  const free = taken.take(name);
  return free === name ? {} : { property: free };
}

/** The names of a type's members and, around them, those of its bases. */
class FreeNames {
  readonly #taken = new Set<string>();
  /** By name, the first number that may be free: thousands may have one name. */
  readonly #next = new Map<string, number>();
  /** Of each open type, what its members changed. */
  readonly #opened: {
    readonly taken: string[];
    readonly next: (readonly [string, number | undefined])[];
  }[] = [];

  /** Begins a type that extends the one that is open. */
  open(): void {
    this.#opened.push({ taken: [], next: [] });
  }

  /** Ends it: its names are free again. */
  close(): void {
    const { taken, next } = this.#opened.pop()!;
    for (const name of taken) this.#taken.delete(name);
    for (const [name, number] of next.toReversed()) {
      if (number === undefined) this.#next.delete(name);
      else this.#next.set(name, number);
    }
  }

  /** Takes a name, with a number where it is not free. */
  take(name: string): string {
    const opened = this.#opened.at(-1);
    const before = this.#next.get(name);
    let free = name;
    let number = before ?? 2;
    while (this.#taken.has(free) || isInherited(free)) free = `${name}${number++}`;
    opened?.next.push([name, before]);
    opened?.taken.push(free);
    this.#next.set(name, number);
    this.#taken.add(free);
    return free;
  }
}
