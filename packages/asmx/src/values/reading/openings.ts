import { ProtocolError } from '../../contract/errors.ts';
import { excerpt } from '../../lexical/lexical-error.ts';
import type { Content, ContentMode, XmlElement } from '../../xml/handler.ts';
import { valueOfType, valueOfUnknownType } from '../any-value.ts';
import {
  type AnyTypePlan,
  type ArrayPlan,
  cellOf,
  clark,
  type ElementPlan,
  isScalar,
  type ObjectPlan,
  type TypedPlan,
  type WireName,
} from '../plan.ts';
import { DataSetReader } from '../read-data-set.ts';
import { textPlanOf } from '../value-reading.ts';
import { NOWHERE, pathWith, storeValue, type ValueTarget } from '../value-target.ts';
import { XmlCapture } from '../xml-capture.ts';
import { attributeOf, encodedArrayOf, isNil, PART_OF_ARRAY, typeNameOf } from '../xsi.ts';
import type { Frames, ValueReading } from './frames.ts';
import type { TextReading } from './texts.ts';
import { arrayAttributes, byName, declarationsIn, othersOf, unreadAttributes } from './unread.ts';

/** The text of a file is never stored, so only the size of the body limits it. */
const FILE_CONTENT: Content = { mode: 'text', maxChars: Number.POSITIVE_INFINITY };

/** What the start tag of a value says, and the frame that it opens by the plan of its type. */
export class Openings {
  /** Whether the message is in SOAP encoding. */
  isEncoded = false;
  readonly byLocalName: boolean;
  readonly #reading: ValueReading;
  readonly #frames: Frames;
  readonly #texts: TextReading;
  #items = 0;

  constructor(reading: ValueReading, frames: Frames, texts: TextReading) {
    this.byLocalName = reading.byLocalName === true;
    this.#reading = reading;
    this.#frames = frames;
    this.#texts = texts;
  }

  /**
   * Passes over an element that no value takes.
   * @param wanted the namespace that the contract has its name in.
   */
  skip({ local, uri }: XmlElement, wanted?: string): 'skip' {
    const misplaced =
      wanted === undefined || wanted === uri
        ? undefined
        : `stood in ${excerpt(uri) || 'no namespace'}, not in ${wanted || 'none'}`;
    this.ignore(local, NOWHERE, misplaced);
    this.#frames.push({ kind: 'skip', to: NOWHERE });
    return 'skip';
  }

  /** @param to of the element that opens, whose member it is; nowhere for one of the open one. */
  ignore(name: string, to: ValueTarget, misplaced?: string): void {
    const path = to === NOWHERE ? this.#frames.path() : this.#frames.pathTo(to);
    this.#reading.ignore(`${path.replace(/\[\d+\]/g, '[]')}.${name}`.replace(/^\./, ''), misplaced);
  }

  /** Tells of attributes that no value takes. @param known those that the type has. */
  ignoreAttributes(element: XmlElement, known: readonly WireName[], to: ValueTarget): void {
    for (const { local } of unreadAttributes(element, known, this.isEncoded))
      this.ignore(`@${local}`, to);
  }

  value(
    member: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
    isParameter = false,
  ): ContentMode | Content {
    if (isNil(element)) {
      this.ignoreAttributes(element, [], to);
      storeValue(to, member.nil);
      this.#frames.push({ kind: 'skip', to });
      return 'skip';
    }
    if (member.streams) {
      this.#frames.push({ kind: 'file', file: this.#reading.openFile(member.property), to });
      return FILE_CONTENT;
    }
    const { plan } = member;
    if (element.attributes.length > 0 && plan.kind !== 'object' && plan.kind !== 'any')
      this.ignoreAttributes(element, [], to);
    switch (plan.kind) {
      case 'simple': {
        const isLater = isParameter && isScalar(member);
        const { namespaceOf } = element;
        this.#frames.push({
          kind: 'text',
          element: member,
          namespaceOf,
          isLater,
          included: false,
          to,
        });
        return 'text';
      }
      case 'array':
        return this.#array(plan, element, to);
      case 'object':
        return this.#object(plan, element, to);
      case 'xml':
        this.#frames.push({ kind: 'capture', capture: new XmlCapture('drop'), self: false, to });
        return 'text';
      case 'dataset':
        this.#frames.push({
          kind: 'dataset',
          reader: new DataSetReader(this.#reading.context, () => this.countItem()),
          to,
        });
        return 'elements';
      case 'any':
        return this.#any(plan, member, element, to);
    }
  }

  /** @param isTyped whether the value says its type even if nothing extends that. */
  #object(
    declared: ObjectPlan,
    element: XmlElement,
    to: ValueTarget,
    isTyped = false,
  ): ContentMode | Content {
    const plan = this.#actualType(declared, element, to);
    const value: Record<string, unknown> = {};
    if (plan.polymorphic || isTyped) value.$type = plan.key;
    if (plan.mixed) {
      const withContent = (xml: unknown) => storeValue(to, Object.assign(value, { xml }));
      const around = { ...to, holder: withContent };
      this.#frames.push({
        kind: 'capture',
        capture: new XmlCapture('keep'),
        self: false,
        to: around,
      });
    } else {
      const { namespaceOf } = element;
      this.#frames.push({
        kind: 'object',
        plan,
        value,
        isMessage: false,
        opened: false,
        members: 0,
        included: false,
        namespaceOf,
        to,
      });
    }
    if (plan.attributes.length + element.attributes.length > 0)
      this.#readAttributes(plan, element, value);
    return plan.mixed || plan.text !== undefined ? 'text' : plan.leaves.content;
  }

  /** The type that `xsi:type` names, when it is one of those that extend the declared one. */
  #actualType(declared: ObjectPlan, element: XmlElement, to: ValueTarget): ObjectPlan {
    const wanted = element.attributes.length === 0 ? undefined : typeNameOf(element);
    if (!declared.polymorphic) {
      // In SOAP encoding every value says its type, some toolkits in another namespace.
      const isOther = wanted !== undefined && wanted !== clark(declared.namespace, declared.name);
      if (isOther && !this.isEncoded) this.ignore('@type', to);
      return declared;
    }
    if (wanted === undefined) {
      if (declared.abstract)
        this.#fail(to, `its type ${declared.name} is abstract; say which by xsi:type.`);
      return declared;
    }
    const actual = declared.family.named(wanted);
    if (actual !== undefined) return actual;
    this.#fail(to, `the type ${wanted.slice(0, 100)} does not extend ${declared.name}.`);
    return declared;
  }

  #any(
    plan: AnyTypePlan,
    member: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
  ): ContentMode | Content {
    const wanted = typeNameOf(element);
    const actual = wanted === undefined ? undefined : plan.byTypeName.get(wanted);
    if (actual === undefined) {
      const unread = unreadAttributes(element, [], this.isEncoded);
      const attributes = byName([...unread, ...arrayAttributes(element)], element);
      const { namespaceOf } = element;
      const made = ({ textOnly, content = '' }: XmlCapture) => {
        // A text of a type that is not known may be a name.
        const isName = wanted !== undefined && textOnly?.includes(':') === true;
        const declared = isName ? declarationsIn(textOnly, namespaceOf) : {};
        const all = { ...attributes, ...declared };
        const given = Object.keys(all).length === 0 ? undefined : all;
        return valueOfUnknownType(wanted, textOnly, content, given);
      };
      this.#frames.push({
        kind: 'capture',
        capture: new XmlCapture('keep'),
        self: false,
        to,
        made,
      });
      return 'text';
    }
    return this.typed(actual, member, element, to);
  }

  #array(plan: ArrayPlan, element: XmlElement, to: ValueTarget): ContentMode | Content {
    const { leaves, rank } = plan;
    const item = cellOf(plan);
    const said = element.attributes.length === 0 ? undefined : encodedArrayOf(element);
    const dimensions = said?.sizes.length ?? 1;
    if (said?.isWhole === false) this.#fail(to, PART_OF_ARRAY);
    else if (dimensions !== rank)
      this.#fail(to, `it has ${dimensions} dimensions; its type has ${rank}.`);
    const itemType =
      said?.typeName === undefined || item.plan.kind !== 'any'
        ? undefined
        : item.plan.byTypeName.get(said.typeName);
    const sizes = rank > 1 ? said?.sizes : undefined;
    this.#frames.push({ kind: 'array', item, itemType, values: [], sizes, cells: 0, to });
    return leaves.content;
  }

  /** A value of any type, whose type is known. */
  typed(
    { plan: type, $type }: TypedPlan,
    member: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
  ): ContentMode | Content {
    if (type.kind === 'object') return this.#object(type, element, to, true);
    const text = type.kind === 'simple' ? textPlanOf(type, { $type }) : undefined;
    const typed: ElementPlan = { ...member, plan: type, absent: undefined, text };
    if (type.kind === 'simple') return this.value(typed, element, to);
    const store = (value: unknown) => storeValue(to, valueOfType($type, value));
    return this.value(typed, element, { ...to, holder: store });
  }

  countItem(): void {
    const { items } = this.#reading.limits;
    if (++this.#items <= items) return;
    const message = `The message has more than ${items} items, the limit "items"; send fewer.`;
    throw new ProtocolError('TooLarge', message);
  }

  #readAttributes(plan: ObjectPlan, element: XmlElement, value: Record<string, unknown>): void {
    let known = 0;
    for (const attribute of plan.attributes) {
      const { property, absent, text } = attribute;
      const given = attributeOf(element, attribute);
      if (given === undefined) {
        if (absent !== undefined) value[property] = absent;
        continue;
      }
      known++;
      const { path } = this.#frames;
      if (text.hasNames || text.isReference) {
        const to = { holder: value, index: undefined, name: property };
        const at = () => pathWith(path(), property);
        this.#texts.read(to, given, text, element.namespaceOf, at);
      } else this.#texts.readInto(value, property, given, text, path);
    }
    if (known === element.attributes.length) return;
    if (plan.anyAttribute === undefined) this.ignoreAttributes(element, plan.attributes, NOWHERE);
    else {
      const others = othersOf(element, plan.attributes);
      if (others !== undefined) value[plan.anyAttribute] = others;
    }
  }

  /** The value of an element that opens does not match its type. */
  #fail(to: ValueTarget, reason: string): void {
    this.#texts.fail(this.#frames.pathTo(to), reason);
  }
}
