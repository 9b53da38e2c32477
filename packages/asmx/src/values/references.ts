import { isTyped } from './any-value.ts';
import { cellOf, type ElementPlan, type ObjectPlan, type Plan } from './plan.ts';

/** The attributes of a version of SOAP. */
export interface ReferenceForm {
  /** That of who refers to an id. */
  readonly to: (id: string) => string;
  /** That of what has it. */
  readonly of: (id: string) => string;
}

type ReferringPlan = Exclude<Plan, { readonly kind: 'simple' }>;

/**
 * The objects and lists that stand more than once in a message in SOAP encoding. Each is written
 * once, behind the message, and referred to (SOAP 1.1, 5.1; SOAP 1.2 part 2, 3.1.5.1), so that they
 * are one for who reads it, too.
 */
export class References {
  readonly form: ReferenceForm;
  readonly #shared: ReadonlySet<unknown>;
  readonly #ids = new Map<unknown, string>();
  /** Those that were referred to, and are to be written. */
  readonly waiting: {
    readonly id: string;
    readonly plan: ReferringPlan;
    readonly value: unknown;
  }[] = [];

  constructor(plan: ObjectPlan, value: Readonly<Record<string, unknown>>, form: ReferenceForm) {
    this.form = form;
    this.#shared = sharedIn(plan, value);
  }

  /** The attribute by which a value is referred to; `undefined` for one that stands once. */
  to(plan: ReferringPlan, value: unknown): string | undefined {
    if (!this.#shared.has(value)) return undefined;
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = `id${this.#ids.size + 1}`;
      this.#ids.set(value, id);
      this.waiting.push({ id, plan, value });
    }
    return this.form.to(id);
  }
}

/**
 * The objects and lists that the parts of a message have more than once. What else hangs on them is
 * not looked at.
 */
function sharedIn(message: ObjectPlan, content: Readonly<Record<string, unknown>>): Set<unknown> {
  const known = new Set<unknown>();
  const shared = new Set<unknown>();
  const open: [Plan, unknown][] = [];
  const addMember = ({ property, repeated, plan }: ElementPlan, of: object) => {
    const value = (of as Readonly<Record<string, unknown>>)[property];
    if (!repeated) open.push([plan, value]);
    else if (Array.isArray(value)) for (const each of value) open.push([plan, each]);
  };
  for (const element of message.elements) addMember(element, content);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [plan, value] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (plan.kind !== 'object' && plan.kind !== 'array' && plan.kind !== 'any') continue;
    if (known.has(value)) {
      shared.add(value);
      continue;
    }
    const actual = plan.kind === 'any' ? plan.byType.get(typeNameIn(value)) : plan;
    if (actual?.kind === 'array' && Array.isArray(value)) {
      known.add(value);
      for (const each of value)
        open.push([actual.rank > 1 ? actual.item.plan : cellOf(actual).plan, each]);
    } else if (actual?.kind === 'object') {
      known.add(value);
      const members = actual.family.get(typeNameIn(value)) ?? actual;
      for (const element of members.elements) addMember(element, value);
    }
  }
  return shared;
}

const typeNameIn = (value: object): string => (isTyped(value) ? String(value.$type) : '');
