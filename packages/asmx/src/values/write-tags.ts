import type { WriteName } from '../lexical/lexical-context.ts';
import { SOAP_ENCODING, XML, XSD } from '../xml/namespace-names.ts';
import { escapeAttribute, XmlWriteError } from '../xml/writer.ts';
import { nameOfType } from './any-value.ts';
import { type ElementTags, NameScope } from './name-scope.ts';
import { type ArrayPlan, cellOf, type ObjectPlan, type Plan, type SimplePlan } from './plan.ts';
import { withPrefixes } from './prefixes.ts';
import { formatted, ResultError, type ResultPath } from './result-error.ts';
import { sizedCells } from './written-plan.ts';

/** What is beside a message. */
export interface Beside {
  /** Whether the bytes of base64Binary go there (XOP 1.0), and not only those of swaRef. */
  readonly isXop: boolean;
  /** Stores bytes. @returns the URL by which the message refers to them. */
  attach(bytes: Uint8Array): string;
}

type TypeName = Readonly<Record<'name' | 'namespace', string>>;

const NCNAME = /^[\p{L}_][\p{L}\p{N}\p{M}._-]*$/u;

/** Writes what stands in the tags of a message: attributes, the names of types, prefixes. */
export class TagWriter {
  readonly #path: ResultPath;
  readonly #beside: Beside | undefined;
  #nextPrefix = 1;

  /** @param path where the value is that is being written. */
  constructor(path: ResultPath, beside: Beside | undefined) {
    this.#path = path;
    this.#beside = beside;
  }

  names(scope: string): NameScope {
    return new NameScope(scope, () => `q${this.#nextPrefix++}`);
  }

  /** The text of a value. */
  formatted(plan: SimplePlan, value: unknown, name?: WriteName): string {
    if (plan.bytes === 'beside' && this.#beside !== undefined && isBytes(value))
      return this.#beside.attach(value);
    return formatted(plan, value, this.#path, name);
  }

  /** The text of a member. */
  ofMember(plan: SimplePlan, value: unknown, member: string, names: NameScope | undefined): string {
    this.#path.enter(member);
    const text = this.formatted(plan, value, names?.write);
    this.#path.leave();
    return text;
  }

  /** @throws {ResultError} for a character that XML forbids. */
  escaped(text: string, escaping: (text: string) => string): string {
    try {
      return escaping(text);
    } catch (error) {
      if (error instanceof XmlWriteError) throw new ResultError(this.#path, error.message);
      throw error;
    }
  }

  /**
   * The tags of an element that names the type of its value: in the default namespace without a
   * prefix, as XmlSerializer writes it. Where the type is in no namespace, there can be no default
   * one.
   */
  typed(tag: string, close: string, type: TypeName, scope: string): ElementTags {
    if (type.namespace !== '' || scope === '')
      return { tag: tag + this.#typeAttribute(type, scope), close, scope };
    const names = this.names(scope);
    return names.around(`${tag} xsi:type="${names.write('', type.name)}"`, close);
  }

  #typeAttribute({ name, namespace }: TypeName, scope: string): string {
    if (namespace === scope || namespace === '') return ` xsi:type="${name}"`;
    if (namespace === XSD) return ` xsi:type="xsd:${name}"`;
    const prefix = `q${this.#nextPrefix++}`;
    return ` xmlns:${prefix}="${escapeAttribute(namespace)}" xsi:type="${prefix}:${name}"`;
  }

  /** The attributes by which SOAP encoding names the type of an element (SOAP 1.1, section 5). */
  encodedType(plan: Plan, value: unknown): string {
    if (plan.kind === 'array') return this.#arrayType(plan, value);
    if (plan.kind === 'object') {
      const members = value as Readonly<Record<string, unknown>>;
      return this.#typeAttribute(plan.family.get(String(members.$type)) ?? plan, '\u0000');
    }
    return plan.kind === 'simple' ? this.#typeAttribute(plan, '\u0000') : '';
  }

  /** SOAP 1.1, 5.4.2: `int[2]`, `int[2,3]` of two dimensions, `int[][2]` of lists. */
  #arrayType(plan: ArrayPlan, value: unknown): string {
    const sizes =
      plan.rank > 1
        ? sizedCells(plan, value, this.#path).sizes
        : [Array.isArray(value) ? value.length : 0];
    let inner = cellOf(plan).plan;
    let lists = '';
    for (; inner.kind === 'array'; inner = cellOf(inner).plan)
      lists = `[${','.repeat(inner.rank - 1)}]${lists}`;
    const namespace = inner.kind === 'any' ? XSD : inner.namespace;
    const prefix = `q${this.#nextPrefix++}`;
    const own = namespace === '' ? '' : ` xmlns:${prefix}="${escapeAttribute(namespace)}"`;
    const type = `${own && `${prefix}:`}${inner.name}${lists}[${sizes.join(',')}]`;
    return ` xmlns:soapenc="${SOAP_ENCODING}"${own} xsi:type="soapenc:Array" soapenc:arrayType="${type}"`;
  }

  attribute(
    { name, namespace, plan, required, usual }: ObjectPlan['attributes'][number],
    value: unknown,
    names: NameScope | undefined,
  ): string {
    const isMissing = value === undefined || value === null;
    if (isMissing) {
      // .NET leaves out what is null, whatever the schema says.
      if (!required || plan.reference) return '';
      if (plan.unset === undefined)
        throw new ResultError(`${this.#path}.${name}`, 'there must be a value.');
    }
    const text = isMissing ? plan.unset! : this.ofMember(plan, value, name, names);
    if (text === usual) return '';
    this.#path.enter(name);
    const written = this.escaped(text, escapeAttribute);
    this.#path.leave();
    return this.#writtenAttribute(namespace, name, written);
  }

  #writtenAttribute(namespace: string, name: string, written: string): string {
    if (namespace === '') return ` ${name}="${written}"`;
    if (namespace === XML) return ` xml:${name}="${written}"`;
    const prefix = `q${this.#nextPrefix++}`;
    return ` xmlns:${prefix}="${escapeAttribute(namespace)}" ${prefix}:${name}="${written}"`;
  }

  /**
   * Attributes that no type declares, by `{namespace}name`, and by `xmlns:prefix` what prefixes in
   * them mean.
   * @param text in which these prefixes stand, too. @returns both, as they are written.
   */
  otherAttributes(given: unknown, property: string, text = ''): readonly [string, string] {
    if (given === undefined || given === null) return ['', text];
    this.#path.enter(property);
    const all: Readonly<Record<string, unknown>> = { ...given };
    // Some of the prefixes may be ours already.
    const names = this.names('');
    const other = (prefix: string) => {
      const namespace = all[`xmlns:${prefix}`];
      return typeof namespace === 'string' ? names.write(namespace, '') : undefined;
    };
    let written = '';
    for (const [key, value] of Object.entries(all)) {
      if (key.startsWith('xmlns:')) continue;
      const { namespace, name } = nameOfType(key) ?? { namespace: '', name: key };
      if (typeof value !== 'string' || !NCNAME.test(name))
        throw new ResultError(this.#path, 'attributes are texts by {namespace}name, or name.');
      const escaped = this.escaped(withPrefixes(value, other), escapeAttribute);
      written += this.#writtenAttribute(namespace, name, escaped);
    }
    const renamed = text.includes('<') ? text : withPrefixes(text, other);
    this.#path.leave();
    return [names.around(written, '').tag, renamed];
  }
}

export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}
