import { shown } from '../lexical/numbers.ts';
import { XOP, XSD } from '../xml/namespace-names.ts';
import { escapeText } from '../xml/writer.ts';
import { isTyped, nameOfType, type TypedValue, typeOf, UNTYPED } from './any-value.ts';
import { freeXml } from './free-xml.ts';
import {
  type AnyTypePlan,
  type ArrayPlan,
  cellOf,
  type ElementPlan,
  type GroupPlan,
  type ObjectPlan,
  type ParticlePlan,
  type Plan,
  type RoundsPlan,
  type SimplePlan,
} from './plan.ts';
import { type ReferenceForm, References } from './references.ts';
import { formatted, MOST_LEVELS, ResultError, ResultPath } from './result-error.ts';
import { dataSetXml } from './write-data-set.ts';
import { type Beside, isBytes, TagWriter } from './write-tags.ts';
import { actualPlan, branchOf, sizedCells } from './written-plan.ts';

/** So long a text is encoded before the next item of a list is written, characters. */
const PART_CHARS = 16 * 1024;

/**
 * Writes values as XmlSerializer does: elements in the order of the contract, in the default
 * namespace, which is declared again where it changes. The caller declares the prefixes `xsi` and
 * `xsd`.
 */
export class XmlValueWriter {
  /** What is written, since the part before it was encoded. */
  xml = '';
  /**
   * The parts before, in UTF-8: as one text, a long answer would be a tree of millions of pieces.
   */
  readonly #parts: Buffer[] = [];
  readonly #encoded: boolean;
  readonly #beside: Beside | undefined;
  readonly #path = new ResultPath();
  readonly #tags: TagWriter;
  #levels = 0;
  #references: References | undefined;

  /**
   * @param encoded whether to write in SOAP encoding: each element names its type.
   * @param beside takes bytes out of the message; without it they are written as base64.
   */
  constructor(encoded: boolean, beside?: Beside) {
    this.#encoded = encoded;
    this.#beside = beside;
    this.#tags = new TagWriter(this.#path, beside);
  }

  /** All that was written; bytes of UTF-8 where it is long. */
  end(): string | Uint8Array {
    if (this.#parts.length === 0) return this.xml;
    return Buffer.concat([...this.#parts, Buffer.from(this.xml)]);
  }

  /**
   * Writes an element around those of a message.
   * @param open its start tag without the end.
   * @throws {ResultError}
   */
  wrapped(
    { open, close }: { readonly open: string; readonly close: string },
    plan: ObjectPlan,
    value: Readonly<Record<string, unknown>>,
    scope: string,
  ): void {
    this.#members(plan, open, close, value, scope);
  }

  /**
   * Writes a message in SOAP encoding, and behind it what stands in it more than once.
   * @throws {ResultError}
   */
  referring(
    plan: ObjectPlan,
    value: Readonly<Record<string, unknown>>,
    form: ReferenceForm,
    write: () => void,
  ): void {
    this.#references = new References(plan, value, form);
    write();
    // What is written refers to more.
    for (const { id, plan, value } of this.#references.waiting) {
      const tag = `<multiRef ${form.of(id)}${this.#tags.encodedType(plan, value)}`;
      this.#complex(plan, tag, '</multiRef>', value, '');
    }
  }

  /**
   * Writes the elements of a message.
   * @param scope the default namespace around.
   * @throws {ResultError}
   */
  content(plan: ObjectPlan, value: Readonly<Record<string, unknown>>, scope: string): void {
    this.#particles(plan.content, value, scope);
  }

  /**
   * Writes an element, or nothing when it has no value and may be left out.
   * @param path the name of the value in errors.
   * @throws {ResultError}
   */
  element(element: ElementPlan, value: unknown, scope: string, path: string): void {
    this.#path.enter(path);
    if (!element.repeated) this.#single(element, value, scope, false);
    else if (value !== undefined && value !== null) this.#items(element, value, scope);
    this.#path.leave();
  }

  /** The items of a list, one after the other. */
  #items(element: ElementPlan, value: unknown, scope: string): void {
    if (!Array.isArray(value)) throw new ResultError(this.#path, `${shown(value)} is not a list.`);
    for (let at = 0; at < value.length; at++) {
      this.#path.enter(at);
      this.#single(element, value[at], scope, true);
      this.#path.leave();
      if (this.xml.length > PART_CHARS) {
        this.#parts.push(Buffer.from(this.xml));
        this.xml = '';
      }
    }
  }

  #single(element: ElementPlan, value: unknown, scope: string, isItem: boolean): void {
    const { plan, namespace, tags } = element;
    let tag = namespace === scope ? tags.open : tags.openAnew;
    if (value === undefined || value === null) {
      this.#missing(element, value, tag, isItem);
      return;
    }
    const reference = plan.kind === 'simple' ? undefined : this.#references?.to(plan, value);
    if (reference !== undefined) {
      this.xml += `${tag} ${reference} />`;
      return;
    }
    const isSized = plan.kind === 'array' && plan.rank > 1;
    if (this.#encoded || isSized) tag += this.#tags.encodedType(plan, value);
    if (plan.kind !== 'simple') this.#complex(plan, tag, tags.close, value, namespace);
    else if (plan.bytes === 'inside' && this.#beside?.isXop === true && isBytes(value))
      this.xml += `${tag}><xop:Include xmlns:xop="${XOP}" href="${this.#beside.attach(value)}" />${tags.close}`;
    else if (plan.hasNames) this.#named(plan, tag, tags.close, value, namespace);
    else {
      const text = this.#tags.formatted(plan, value);
      if (text !== element.usual) this.#text(tag, tags.close, text, plan.isPlain);
    }
  }

  /** A text of names with prefixes, which are declared on the element. */
  #named(plan: SimplePlan, tag: string, close: string, value: unknown, scope: string): void {
    const names = this.#tags.names(scope);
    const text = formatted(plan, value, this.#path, names.write);
    const tags = names.around(tag, close);
    this.#text(tags.tag, tags.close, text);
  }

  /**
   * A short cut of {@link element} for an element of tags and a text.
   * @returns false for any other element, and for a value that fails: the general way then reports
   *   it with its path.
   */
  #leaf(
    { plan, namespace, tags, repeated, usual }: ElementPlan,
    value: unknown,
    scope: string,
  ): boolean {
    const isLeaf =
      plan.kind === 'simple' &&
      !repeated &&
      namespace === scope &&
      !this.#encoded &&
      plan.bytes === undefined &&
      !plan.hasNames;
    if (!isLeaf || value === undefined || value === null) return false;
    let text: string;
    let written: string;
    try {
      text = plan.format(value);
      written = plan.isPlain ? text : escapeText(text);
    } catch {
      return false;
    }
    if (text === '') return false;
    if (text !== usual) this.xml += tags.start + written + tags.close;
    return true;
  }

  #missing(element: ElementPlan, value: null | undefined, tag: string, isItem: boolean): void {
    const { plan, tags, nillable, optional, always, mandatory } = element;
    if (mandatory && !(nillable && value === null))
      throw new ResultError(this.#path, 'it is required; there must be a value.');
    const isValue = plan.kind === 'simple' && !plan.reference;
    // Left out, or empty, an item would be lost or another value, whatever the schema says. In SOAP
    // encoding any reference may be null (SOAP 1.1, section 5).
    if (nillable || ((isItem || this.#encoded) && !isValue)) {
      if (value === null || isItem || always) this.xml += `${tag} xsi:nil="true" />`;
      return;
    }
    if (isValue && (!optional || isItem)) {
      if (plan.unset === undefined)
        throw new ResultError(
          this.#path,
          `${shown(value)} is no ${plan.name}; there must be a value.`,
        );
      this.#text(tag, tags.close, plan.unset);
    }
  }

  #text(tag: string, close: string, text: string, isPlain = false): void {
    this.xml +=
      text === ''
        ? `${tag} />`
        : `${tag}>${isPlain ? text : this.#tags.escaped(text, escapeText)}${close}`;
  }

  #complex(
    plan: Exclude<Plan, SimplePlan>,
    tag: string,
    close: string,
    value: unknown,
    scope: string,
  ): void {
    if (++this.#levels > MOST_LEVELS)
      throw new ResultError(this.#path, `the value is deeper than ${MOST_LEVELS} levels.`);
    switch (plan.kind) {
      case 'array':
        this.#array(plan, tag, close, value, scope);
        break;
      case 'object':
        this.#object(plan, tag, close, value, scope);
        break;
      case 'xml':
        this.xml += `${tag}>${freeXml(value, scope, this.#path.toString())}${close}`;
        break;
      case 'dataset': {
        const named = typeof value === 'object' ? { ...plan.typed, ...value } : value;
        this.xml += `${tag}>${dataSetXml(named, plan.table, this.#path.toString())}${close}`;
        break;
      }
      case 'any':
        this.#any(plan, tag, close, value, scope);
        break;
    }
    this.#levels--;
  }

  #array(plan: ArrayPlan, tag: string, close: string, value: unknown, scope: string): void {
    const cells = plan.rank === 1 ? value : sizedCells(plan, value, this.#path).cells;
    if (Array.isArray(cells) && cells.length === 0) {
      this.xml += `${tag} />`;
      return;
    }
    this.xml += `${tag}>`;
    this.#items(cellOf(plan), cells, scope);
    this.xml += close;
  }

  #object(declared: ObjectPlan, tag: string, close: string, value: unknown, scope: string): void {
    if (typeof value !== 'object' || Array.isArray(value))
      throw new ResultError(this.#path, `${shown(value)} is not an object.`);
    const members = value as Readonly<Record<string, unknown>>;
    const plan = actualPlan(declared, members, this.#path);
    if (plan === declared || this.#encoded) {
      this.#inside(plan, tag, close, members, scope);
      return;
    }
    const typed = this.#tags.typed(tag, close, plan, scope);
    this.#inside(plan, typed.tag, typed.close, members, typed.scope);
  }

  /** An object in tags that say its type. */
  #inside(
    plan: ObjectPlan,
    tag: string,
    close: string,
    members: Readonly<Record<string, unknown>>,
    scope: string,
  ): void {
    let start = tag;
    const names = plan.hasNames ? this.#tags.names(scope) : undefined;
    for (const attribute of plan.attributes)
      start += this.#tags.attribute(attribute, members[attribute.property], names);
    if (plan.anyAttribute !== undefined)
      start += this.#tags.otherAttributes(members[plan.anyAttribute], plan.anyAttribute)[0];
    if (plan.mixed) {
      const mixed = names?.around(start, close) ?? { tag: start, close, scope };
      this.xml += `${mixed.tag}>${freeXml(members.xml ?? '', mixed.scope, this.#path.toString())}${mixed.close}`;
      return;
    }
    if (plan.text !== undefined) {
      const { value: text } = members;
      const isMissing = text === undefined || text === null;
      const content = isMissing
        ? (plan.text.unset ?? '')
        : this.#tags.ofMember(plan.text, text, 'value', names);
      const tags = names?.around(start, close) ?? { tag: start, close };
      this.#text(tags.tag, tags.close, content);
      return;
    }
    if (names === undefined) this.#members(plan, start, close, members, scope);
    else {
      const tags = names.around(start, close);
      this.#members(plan, tags.tag, tags.close, members, tags.scope);
    }
  }

  #members(
    plan: ObjectPlan,
    tag: string,
    close: string,
    members: Readonly<Record<string, unknown>>,
    scope: string,
  ): void {
    const before = this.xml;
    this.xml = `${before}${tag}>`;
    const { length } = this.xml;
    const parts = this.#parts.length;
    this.#particles(plan.content, members, scope);
    if (this.xml.length === length && this.#parts.length === parts) this.xml = `${before}${tag} />`;
    else this.xml += close;
  }

  #particles(
    particles: readonly ParticlePlan[],
    value: Readonly<Record<string, unknown>>,
    scope: string,
  ): void {
    for (const particle of particles) {
      if (particle.kind === 'element') {
        const given = value[particle.property];
        if (!this.#leaf(particle, given, scope))
          this.element(particle, given, scope, particle.property);
      } else if (particle.kind === 'any') {
        const given = value[particle.property];
        if (given === undefined || given === null) continue;
        for (const xml of particle.repeated && Array.isArray(given) ? given : [given]) {
          this.xml += freeXml(xml, scope, `${this.#path}.${particle.property}`);
        }
      } else if (particle.kind === 'rounds')
        this.#rounds(particle, value[particle.property], scope);
      else this.#group(particle, value, scope);
    }
  }

  /** Writes the members of a sequence, or of the branch of a choice that has all that are set. */
  #group(
    { kind, content }: GroupPlan,
    value: Readonly<Record<string, unknown>>,
    scope: string,
  ): void {
    if (kind === 'sequence') {
      this.#particles(content, value, scope);
      return;
    }
    const branch = branchOf(content, value, this.#path);
    if (branch !== undefined) this.#particles([branch], value, scope);
  }

  #rounds({ property, plan }: RoundsPlan, given: unknown, scope: string): void {
    if (given === undefined || given === null) return;
    this.#path.enter(property);
    if (!Array.isArray(given)) throw new ResultError(this.#path, `${shown(given)} is not a list.`);
    for (const [index, round] of given.entries()) {
      this.#path.enter(index);
      if (typeof round !== 'object' || round === null)
        throw new ResultError(this.#path, `${shown(round)} is not an object.`);
      this.#particles(plan.content, round, scope);
      this.#path.leave();
    }
    this.#path.leave();
  }

  #any(plan: AnyTypePlan, tag: string, close: string, value: unknown, scope: string): void {
    const found = isTyped(value) ? String(value.$type) : typeOf(value);
    if (found === undefined)
      throw new ResultError(this.#path, `${shown(value)} has no type on the wire.`);
    const given: TypedValue = isTyped(value) ? value : { $type: found, value };
    const type = isTyped(value)
      ? plan.byType.get(found)
      : plan.byTypeName.get(`{${XSD}}${found}`)?.plan;
    if (type === undefined) this.#unknown(given, tag, close, scope);
    else if (this.#encoded && type.kind !== 'object')
      this.#ofType(
        type,
        tag + this.#tags.encodedType(type, given.value),
        close,
        given.value,
        scope,
      );
    else {
      const typed = this.#tags.typed(tag, close, type, scope);
      const written = type.kind === 'object' ? value : given.value;
      this.#ofType(type, typed.tag, typed.close, written, typed.scope);
    }
  }

  /** A value in tags that say its type. */
  #ofType(type: Plan, tag: string, close: string, value: unknown, scope: string): void {
    if (type.kind !== 'simple') this.#complex(type, tag, close, value, scope);
    else if (type.hasNames) this.#named(type, tag, close, value, scope);
    else this.#text(tag, close, formatted(type, value, this.#path));
  }

  /** A value as XML, of a type that the contract does not have, or of none. */
  #unknown(
    { $type, xml, attributes }: TypedValue,
    tag: string,
    close: string,
    scope: string,
  ): void {
    const name = nameOfType($type);
    if (name === undefined && $type !== UNTYPED)
      throw new ResultError(this.#path, 'its $type is no type of the contract.');
    const said =
      name === undefined ? { tag, close, scope } : this.#tags.typed(tag, close, name, scope);
    const [others, text] = this.#tags.otherAttributes(attributes, 'attributes', xml);
    const typed = said.tag + others;
    const content = freeXml(text, said.scope, this.#path.toString());
    this.xml += content === '' ? `${typed} />` : `${typed}>${content}${said.close}`;
  }
}
