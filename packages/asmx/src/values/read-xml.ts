import { ProtocolError } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { LexicalContext } from '../lexical/index.ts';
import { TextCollector } from '../message/text-collector.ts';
import type { XmlPosition } from '../xml/errors.ts';
import type { Content, ContentMode, XmlElement } from '../xml/handler.ts';
import { XSI } from '../xml/namespace-names.ts';
import { valueOfType, valueOfUnknownType } from './any-value.ts';
import { LaterValues, placeText, RawText } from './input.ts';
import { propertiesOf } from './object-plan.ts';
import {
  type AnyPlan,
  type AnyTypePlan,
  type ArrayPlan,
  clark,
  type ElementPlan,
  type GroupPlan,
  isScalar,
  type ObjectPlan,
  type RoundsPlan,
  type TextPlan,
  type TypedPlan,
  type WireName,
} from './plan.ts';
import { prefixesOf } from './prefixes.ts';
import { DataSetReader } from './read-data-set.ts';
import { atPath, readText, textPlanOf, ValueError } from './value-reading.ts';
import {
  type Holder,
  listIn,
  NOWHERE,
  pathOf,
  pathWith,
  reserveItem,
  storeValue,
  type ValueTarget,
} from './value-target.ts';
import { XmlCapture } from './xml-capture.ts';
import { attributeOf, encodedArrayOf, isNil, typeNameOf } from './xsi.ts';

/** An open element. */
type Frame = { readonly to: ValueTarget } & (
  | {
      readonly kind: 'object';
      readonly plan: ObjectPlan;
      readonly value: Record<string, unknown>;
      /** It holds the parameters of a call, whose texts are converted when the call was let in. */
      readonly isMessage: boolean;
      /** A member was opened: an expected one may have come before. */
      opened: boolean;
      /** So many members came as leaves. */
      members: number;
      /** Its text is in a part beside the message. */
      included: boolean;
      readonly namespaceOf: XmlElement['namespaceOf'];
    }
  | {
      readonly kind: 'array';
      readonly item: ElementPlan;
      /** The type of items of any type that say none themselves. */
      readonly itemType: TypedPlan | undefined;
      readonly values: unknown[];
    }
  | {
      readonly kind: 'text';
      readonly element: ElementPlan;
      readonly namespaceOf: XmlElement['namespaceOf'];
      /** Its value is the text, which is converted when the call was let in. */
      readonly isLater: boolean;
      /** Whether its value is in a part beside the message. */
      included: boolean;
    }
  | { readonly kind: 'file'; readonly file: FileText }
  /** Its content is kept as written; with `self`, so is the element itself. */
  | {
      readonly kind: 'capture';
      readonly capture: XmlCapture;
      readonly self: boolean;
      /** The value of what it kept; its content when absent. */
      readonly made?: (capture: XmlCapture) => unknown;
    }
  | { readonly kind: 'dataset'; readonly reader: DataSetReader }
  | { readonly kind: 'skip' }
);

/** The text of a file, which is decoded as it arrives. */
export interface FileText {
  text(piece: string): void;
  /** It is complete. @returns what was wrong with it, to follow the name of its parameter. */
  end(): string | undefined;
}

/** What a reader of values works with. */
export interface ValueReading {
  readonly context: LexicalContext;
  readonly limits: Limits;
  /** Whether every call is let in: then texts are converted as they come. */
  readonly isOpen: boolean;
  /** Where in the message the reader is; valid until it is asked for again. */
  readonly position: XmlPosition;
  /** Opens the sink of a file parameter. */
  openFile(parameter: string): FileText;
  /** Told of what no value takes: a path to an element, or to an `@attribute`. */
  ignore(path: string): void;
}

/** Namespaces of attributes that say how a message is written, and are no values. */
const MARKS: ReadonlySet<string> = new Set([
  XSI,
  'http://www.w3.org/XML/1998/namespace',
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
  'http://schemas.xmlsoap.org/soap/envelope/',
  'http://www.w3.org/2003/05/soap-envelope',
  'http://www.w3.org/2005/05/xmlmime',
]);

/** The text of a file is never stored, so only the size of the body limits it. */
const FILE_CONTENT: Content = { mode: 'text', maxChars: Number.POSITIVE_INFINITY };

/**
 * Reads values from the events of an XML reader as they arrive (wire 5). Unknown elements are skipped, and told; of those
 * that repeat against the contract the first counts; the order does not matter. What does not match its type is kept among
 * the `failures`, and reading goes on.
 *
 * Bounded by the limits `depth`, `elements` and `textChars` of the XML reader, and by `items`.
 */
export class XmlValueReader {
  /** The first value of each parameter that did not match its type, by the property of the parameter. */
  readonly failures = new Map<string, ValueError>();
  /** What is made in each parameter when the call was let in, by its property. */
  readonly later = new Map<string, LaterValues>();
  readonly #reading: ValueReading;
  readonly #context: LexicalContext;
  readonly #limits: Limits;
  readonly #isOpen: boolean;
  readonly #frames: Frame[] = [];
  /** The innermost of these. */
  #top: Frame | undefined;
  readonly #text = new TextCollector();
  readonly #path = (): string => pathOf(this.#frames);
  #items = 0;
  #isEncoded = false;
  /** The property of the parameter that is being read; `''` for a header. */
  #parameter = '';

  constructor(reading: ValueReading) {
    this.#reading = reading;
    this.#context = reading.context;
    this.#limits = reading.limits;
    this.#isOpen = reading.isOpen;
  }

  /** Whether an element is open. */
  get busy(): boolean {
    return this.#top !== undefined;
  }

  #push(frame: Frame): void {
    this.#frames.push(frame);
    this.#top = frame;
  }

  #pop(): void {
    this.#frames.pop();
    this.#top = this.#frames[this.#frames.length - 1];
  }

  /**
   * Begins at the element of a message, whose children the plan describes.
   * @param encoded whether it is in SOAP encoding: there clients that follow the schema qualify elements, and those that
   *   follow SOAP 1.1, section 5, do not.
   */
  begin(
    plan: ObjectPlan,
    element: XmlElement,
    value: Record<string, unknown>,
    encoded = false,
  ): ContentMode | Content {
    this.#isEncoded = encoded;
    if (isNil(element)) {
      this.#push({ kind: 'skip', to: NOWHERE });
      return 'skip';
    }
    const { namespaceOf } = element;
    this.#push({
      kind: 'object',
      plan,
      value,
      isMessage: true,
      opened: false,
      members: 0,
      included: false,
      namespaceOf,
      to: NOWHERE,
    });
    return plan.leaves.content;
  }

  /** Begins at an element that is a value. @param isParameter whether it is the parameter of a bare operation. */
  beginElement(
    plan: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
    isParameter: boolean,
    encoded = false,
  ): ContentMode | Content {
    this.#isEncoded = encoded;
    this.#parameter = isParameter ? plan.property : '';
    return this.#openValue(plan, element, to, isParameter);
  }

  /**
   * The open element refers to bytes beside the message.
   * @returns the function that takes them; `undefined` if its value may not be bytes.
   */
  include(): ((bytes: Uint8Array) => void) | undefined {
    const frame = this.#top;
    if (frame?.kind === 'object') {
      if (frame.plan.text?.isBytes !== true) return undefined;
      frame.included = true;
      return (bytes) => {
        frame.value.value = bytes;
      };
    }
    if (
      frame?.kind !== 'text' ||
      frame.element.plan.kind !== 'simple' ||
      !frame.element.plan.isBytes
    )
      return undefined;
    frame.included = true;
    return (bytes) => storeValue(frame.to, bytes);
  }

  open(element: XmlElement): ContentMode | Content {
    const frame = this.#top!;
    switch (frame.kind) {
      case 'object':
        return this.#openMember(frame, element);
      case 'array': {
        const { item, itemType, values } = frame;
        // .NET reads items by name. Other names, which some toolkits use, are accepted, too.
        this.#countItem();
        const to = reserveItem(values, '');
        if (itemType === undefined || isNil(element) || typeNameOf(element) !== undefined)
          return this.#openValue(item, element, to);
        return this.#openTyped(itemType, item, element, to);
      }
      case 'capture':
        frame.capture.open(element);
        return 'text';
      case 'dataset':
        return frame.reader.open(element);
      case 'text':
      case 'file':
        throw new ProtocolError(
          'MalformedRequest',
          `The value of ${this.#path()} holds the element <${element.local}>; write markup as &lt;${element.local}&gt; or in CDATA.`,
          { status: 400 },
          { parameter: this.#path() },
        );
      default:
        return 'skip';
    }
  }

  text(piece: string): void {
    const frame = this.#top!;
    if (frame.kind === 'text' || (frame.kind === 'object' && frame.plan.text !== undefined))
      this.#text.add(piece);
    else if (frame.kind === 'file') frame.file.text(piece);
    else if (frame.kind === 'capture') frame.capture.text(piece);
    else if (frame.kind === 'dataset') frame.reader.text(piece);
  }

  /** Reads a child that is a text and came whole, see {@link XmlHandler.leaf}. */
  leaf(index: number, text: string): void {
    const frame = this.#top!;
    if (frame.kind === 'object') {
      const member = frame.plan.leaves.members[index]!;
      const { property } = member;
      if (frame.opened && Object.hasOwn(frame.value, property)) {
        this.#ignore(member.name, NOWHERE);
        return;
      }
      frame.members++;
      if (frame.isMessage) frame.value[property] = this.#raw(member, text);
      else this.#readLeaf(member.text!, text, frame.value, property);
    } else if (frame.kind === 'array') {
      this.#countItem();
      this.#readLeaf(frame.item.text!, text, frame.values as never, frame.values.length);
    }
  }

  /** A text with its place, where faults may say that. */
  #raw(element: ElementPlan, text: string): RawText {
    return new RawText(text, element.text!.isPlaced ? this.#reading.position : undefined);
  }

  /** Reads a text into a member of the open object, or an item of the open list. */
  #readLeaf(of: TextPlan, text: string, holder: Holder, key: string | number): void {
    if (of.isVerbatim) holder[key] = text;
    else if (this.#isAtOnce) {
      try {
        holder[key] = this.#hasFailed ? undefined : readText(of, text, this.#context, 'bounds');
      } catch (error) {
        // It was there: of repeated ones the first wins.
        holder[key] = undefined;
        this.#refused(error, pathWith(this.#path(), key));
      }
    } else {
      holder[key] = text;
      this.#laterValues().add(holder, key, of, of.isPlaced ? this.#reading.position : undefined);
    }
  }

  close(): void {
    const frame = this.#top!;
    if (
      frame.kind === 'capture' &&
      frame.capture.close() &&
      !(frame.self && frame.capture.complete)
    )
      return;
    if (frame.kind === 'dataset' && frame.reader.close()) return;
    switch (frame.kind) {
      case 'object':
        if (frame.included) this.#text.take();
        else if (frame.plan.text !== undefined) this.#readContent(frame);
        if (frame.members < frame.plan.elements.length || frame.plan.rounds.length > 0)
          this.#finish(frame.plan, frame.value);
        storeValue(frame.to, frame.value);
        break;
      case 'array':
        storeValue(frame.to, frame.values);
        break;
      case 'text':
        if (frame.included) this.#text.take();
        else this.#closeText(frame);
        break;
      case 'file':
        this.#closeFile(frame);
        break;
      case 'capture':
        storeValue(frame.to, frame.made?.(frame.capture) ?? frame.capture.content);
        break;
      case 'dataset':
        this.#closeDataSet(frame);
        break;
    }
    this.#pop();
  }

  #closeDataSet({ reader, to }: Frame & { kind: 'dataset' }): void {
    const store = () => storeValue(to, reader.finish());
    if (this.#isAtOnce) store();
    else this.#laterValues().add(to.holder as Holder, to.index ?? to.name, store);
  }

  /** A header is converted at once: it may be what lets the call in. */
  get #isAtOnce(): boolean {
    return this.#isOpen || this.#parameter === '';
  }

  /** Those of the present parameter. */
  #laterValues(): LaterValues {
    let values = this.later.get(this.#parameter);
    if (values === undefined) {
      values = new LaterValues();
      this.later.set(this.#parameter, values);
    }
    return values;
  }

  #closeText({ element, namespaceOf, isLater, to }: Frame & { kind: 'text' }): void {
    const text = this.#text.take();
    if (isLater) storeValue(to, this.#raw(element, text));
    else this.#readText(to, text, element.text!, namespaceOf, this.#path);
  }

  #readContent({ plan, value, namespaceOf }: Frame & { kind: 'object' }): void {
    const to = { holder: value, index: undefined, name: 'value' };
    this.#readText(to, this.#text.take(), plan.textPlan!, namespaceOf, this.#path);
  }

  #closeFile({ file, to }: Frame & { kind: 'file' }): void {
    const wrong = file.end();
    if (wrong === undefined) storeValue(to, file);
    else this.#failed(new ValueError(this.#path(), wrong));
  }

  #openMember(frame: Frame & { kind: 'object' }, element: XmlElement): ContentMode | Content {
    const { plan, value } = frame;
    const member = memberOf(plan, element, this.#isEncoded, value);
    frame.opened = true;
    if (frame.isMessage && member !== undefined) this.#parameter = member.property;
    if (member !== undefined) return this.#openNamed(frame, member, value, element);
    const rounds = plan.rounds.find((each) => each.plan.any !== undefined);
    if (plan.any !== undefined) return this.#openAnyMember(plan.any, value, element);
    if (rounds !== undefined) {
      const { any } = rounds.plan;
      return this.#openAnyMember(any!, this.#round(rounds, value, any!), element);
    }
    return this.#skip(element);
  }

  #openNamed(
    frame: Frame & { kind: 'object' },
    member: ElementPlan,
    value: Record<string, unknown>,
    element: XmlElement,
  ): ContentMode | Content {
    const { within, property } = member;
    if (within !== undefined) {
      // A round may hold groups that repeat themselves.
      const inside = memberOf(within.plan, element, this.#isEncoded, {})!;
      return this.#openNamed(
        frame,
        inside,
        this.#round(within, value, inside.within ?? inside),
        element,
      );
    }
    if (member.repeated) {
      this.#countItem();
      return this.#openValue(member, element, reserveItem(listIn(value, property), property));
    }
    // Of repeated ones the first wins.
    if (!Object.hasOwn(value, property)) {
      value[property] = undefined;
      const to = { holder: value, index: undefined, name: property };
      return this.#openValue(member, element, to, frame.isMessage);
    }
    return this.#skip(element);
  }

  /** Passes over an element that no value takes. */
  #skip({ local }: XmlElement): 'skip' {
    this.#ignore(local, NOWHERE);
    this.#push({ kind: 'skip', to: NOWHERE });
    return 'skip';
  }

  /** @param to of the element that opens, whose member it is; nowhere for a member of the element that is open. */
  #ignore(name: string, to: ValueTarget): void {
    const path = to === NOWHERE ? this.#path() : this.#pathTo(to);
    this.#reading.ignore(`${path.replace(/\[\d+\]/g, '[]')}.${name}`.replace(/^\./, ''));
  }

  /** Tells of attributes that no value takes. @param known those that the type has. */
  #ignoreAttributes({ attributes }: XmlElement, known: readonly WireName[], to: ValueTarget): void {
    for (const { uri, local } of attributes) {
      if (MARKS.has(uri) || (this.#isEncoded && uri === '' && (local === 'id' || local === 'href')))
        continue;
      if (!known.some(({ name, namespace }) => name === local && namespace === uri))
        this.#ignore(`@${local}`, to);
    }
  }

  /** The round that a member is in: the last one if it can still have it, otherwise a new one. */
  #round(
    { property, plan }: RoundsPlan,
    value: Record<string, unknown>,
    member: RoundMember,
  ): Record<string, unknown> {
    const rounds = listIn(value, property) as Record<string, unknown>[];
    const last = rounds.at(-1);
    if (last !== undefined && mayHave(plan, Object.keys(last), member)) return last;
    this.#countItem();
    const round: Record<string, unknown> = {};
    rounds.push(round);
    return round;
  }

  #openAnyMember(
    { property, repeated }: AnyPlan,
    value: Record<string, unknown>,
    element: XmlElement,
  ): ContentMode {
    const capture = new XmlCapture('drop');
    capture.open(element);
    this.#countItem();
    const store = (xml: unknown) => {
      if (repeated) listIn(value, property).push(xml);
      else value[property] ??= xml;
    };
    this.#push({
      kind: 'capture',
      capture,
      self: true,
      to: { holder: store, index: undefined, name: property },
    });
    return 'text';
  }

  #openValue(
    member: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
    isParameter = false,
  ): ContentMode | Content {
    if (isNil(element)) {
      storeValue(to, member.nillable ? null : member.absent);
      this.#push({ kind: 'skip', to });
      return 'skip';
    }
    if (member.streams) {
      this.#push({ kind: 'file', file: this.#reading.openFile(member.property), to });
      return FILE_CONTENT;
    }
    const { plan } = member;
    if (element.attributes.length > 0 && plan.kind !== 'object' && plan.kind !== 'any')
      this.#ignoreAttributes(element, [], to);
    switch (plan.kind) {
      case 'simple': {
        const isLater = isParameter && isScalar(member);
        const { namespaceOf } = element;
        this.#push({
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
        return this.#openArray(plan, element, to);
      case 'object':
        return this.#openObject(plan, element, to);
      case 'xml':
        this.#push({ kind: 'capture', capture: new XmlCapture('drop'), self: false, to });
        return 'text';
      case 'dataset':
        this.#push({
          kind: 'dataset',
          reader: new DataSetReader(this.#context, () => this.#countItem()),
          to,
        });
        return 'elements';
      case 'any':
        return this.#openAny(plan, member, element, to);
    }
  }

  /** @param isTyped whether the value says its type even if nothing extends that. */
  #openObject(
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
      this.#push({ kind: 'capture', capture: new XmlCapture('keep'), self: false, to: around });
    } else {
      const { namespaceOf } = element;
      this.#push({
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
    if (!declared.polymorphic) return declared;
    const wanted = typeNameOf(element);
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

  #openAny(
    plan: AnyTypePlan,
    member: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
  ): ContentMode | Content {
    const wanted = typeNameOf(element);
    const actual = wanted === undefined ? undefined : plan.byTypeName.get(wanted);
    if (actual === undefined) {
      this.#ignoreAttributes(element, [], to);
      const made = ({ textOnly, content = '' }: XmlCapture) =>
        valueOfUnknownType(wanted, textOnly, content);
      this.#push({
        kind: 'capture',
        capture: new XmlCapture('keep'),
        self: false,
        to,
        made,
      });
      return 'text';
    }
    return this.#openTyped(actual, member, element, to);
  }

  #openArray(
    { item, leaves }: ArrayPlan,
    element: XmlElement,
    to: ValueTarget,
  ): ContentMode | Content {
    const said = element.attributes.length === 0 ? undefined : encodedArrayOf(element);
    if (said?.isWhole === false)
      this.#fail(to, 'it is a part of an array, or has several dimensions; send one whole list.');
    const itemType =
      said?.typeName === undefined || item.plan.kind !== 'any'
        ? undefined
        : item.plan.byTypeName.get(said.typeName);
    this.#push({ kind: 'array', item, itemType, values: [], to });
    return leaves.content;
  }

  /** A value of any type, whose type is known. */
  #openTyped(
    { plan: type, $type }: TypedPlan,
    member: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
  ): ContentMode | Content {
    if (type.kind === 'object') return this.#openObject(type, element, to, true);
    const text = type.kind === 'simple' ? textPlanOf(type, { $type }) : undefined;
    const typed: ElementPlan = { ...member, plan: type, absent: undefined, text };
    if (type.kind === 'simple') return this.#openValue(typed, element, to);
    const store = (value: unknown) => storeValue(to, valueOfType($type, value));
    return this.#openValue(typed, element, { ...to, holder: store });
  }

  /** Sets the values of absent members. */
  #finish(plan: ObjectPlan, value: Record<string, unknown>): void {
    for (const { property, absent } of plan.defaults) {
      if (value[property] === undefined) value[property] = absent;
    }
    for (const { property, plan: round } of plan.rounds)
      for (const each of (value[property] ?? []) as Record<string, unknown>[])
        this.#finish(round, each);
  }

  #countItem(): void {
    if (++this.#items <= this.#limits.items) return;
    throw new ProtocolError(
      'TooLarge',
      `The message has more than ${this.#limits.items} items, the limit "items"; send fewer.`,
    );
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
      if (text.hasNames) this.#readNames(text, given, value, property, element.namespaceOf);
      else this.#readLeaf(text, given, value, property);
    }
    if (known === element.attributes.length) return;
    if (plan.anyAttribute === undefined) this.#ignoreAttributes(element, plan.attributes, NOWHERE);
    else {
      const others = othersOf(element, plan);
      if (others !== undefined) value[plan.anyAttribute] = others;
    }
  }

  /** Reads a text whose prefixes mean something, into a member of the open object. */
  #readNames(
    of: TextPlan,
    text: string,
    holder: Record<string, unknown>,
    name: string,
    namespaceOf: XmlElement['namespaceOf'],
  ): void {
    const to = { holder, index: undefined, name };
    this.#readText(to, text, of, namespaceOf, () => pathWith(this.#path(), name));
  }

  /**
   * Stores the value of a text: of a header, and where whoever calls is let in, at once; of others when the call was
   * let in. What does not match its type is kept among the failures.
   */
  #readText(
    to: ValueTarget,
    text: string,
    of: TextPlan,
    namespaceOf: XmlElement['namespaceOf'] | undefined,
    path: () => string,
  ): void {
    if (of.isVerbatim) {
      storeValue(to, text);
      return;
    }
    const hasNames = of.hasNames && namespaceOf !== undefined;
    if (this.#isAtOnce) {
      const context = hasNames ? { ...this.#context, namespaceOf } : this.#context;
      this.#convert(to, text, of, context, path);
      return;
    }
    storeValue(to, text);
    const position = of.isPlaced ? this.#reading.position : undefined;
    const named = hasNames ? { ...of, namespaceOf: prefixesOf(text, namespaceOf) } : of;
    this.#laterValues().add(to.holder as Holder, to.index ?? to.name, named, position);
  }

  #convert(
    to: ValueTarget,
    text: string,
    of: TextPlan,
    context: LexicalContext,
    path: () => string,
  ): void {
    try {
      storeValue(to, this.#hasFailed ? undefined : readText(of, text, context, 'bounds'));
    } catch (error) {
      storeValue(to, undefined);
      this.#refused(error, path());
    }
  }

  /** Only the first failure counts, and to make another takes as long as to read a thousand values. */
  get #hasFailed(): boolean {
    return this.failures.size > 0 && this.failures.has(this.#parameter);
  }

  /** A text was none of its type. */
  #refused(error: unknown, path: string): void {
    const failure = atPath(error, path, placeText(this.#reading.position));
    if (!(failure instanceof ValueError)) throw failure;
    this.#failed(failure);
  }

  #fail(to: ValueTarget, reason: string): void {
    this.#failed(new ValueError(this.#pathTo(to), reason));
  }

  #failed(error: ValueError): void {
    if (!this.failures.has(this.#parameter)) this.failures.set(this.#parameter, error);
  }

  /** The path of an element that opens, and of a member of it. */
  #pathTo(to: ValueTarget, member = ''): string {
    const ends = [to, { holder: {}, index: undefined, name: member }].map((each) => ({ to: each }));
    return pathOf([...this.#frames, ...ends]);
  }
}

type RoundMember = ElementPlan | AnyPlan | RoundsPlan;

/** Whether a round with some members may have another one, after them. */
function mayHave(
  { content }: ObjectPlan,
  has: readonly string[],
  { property, ...member }: RoundMember,
): boolean {
  const [group] = content as readonly [GroupPlan];
  const isList = member.kind === 'rounds' || member.repeated;
  if (has.includes(property)) return isList && has.at(-1) === property;
  const branches = group.kind === 'choice' ? group.content.map((each) => [each]) : [group.content];
  return branches.map(propertiesOf).some((properties) => {
    const at = properties.indexOf(property);
    return at >= 0 && has.every((each) => properties.slice(0, at).includes(each));
  });
}

/** The attributes of an element that its type does not declare, by `{namespace}name`; `undefined` for none. */
function othersOf(
  { attributes }: XmlElement,
  plan: ObjectPlan,
): Record<string, string> | undefined {
  let others: Record<string, string> | undefined;
  for (const { uri, local, value } of attributes) {
    if (uri === XSI) continue;
    if (plan.attributes.some(({ name, namespace }) => name === local && namespace === uri))
      continue;
    others ??= {};
    others[uri === '' ? local : clark(uri, local)] = value;
  }
  return others;
}

/**
 * The element of the plan that a child is: of several with its name the first that is free.
 * @param encoded whether an element that the contract has in no namespace may be in one. @param value what was read so far.
 */
function memberOf(
  plan: ObjectPlan,
  { local, uri }: XmlElement,
  encoded: boolean,
  value: Readonly<Record<string, unknown>>,
): ElementPlan | undefined {
  const named = plan.byName.get(local);
  if (named === undefined) return undefined;
  let taken: ElementPlan | undefined;
  for (const each of named) {
    if (each.namespace !== uri) continue;
    const isFree =
      each.repeated || each.within !== undefined || !Object.hasOwn(value, each.property);
    if (isFree) return each;
    taken ??= each;
  }
  return taken ?? (encoded ? named.find(({ namespace }) => namespace === '') : undefined);
}
