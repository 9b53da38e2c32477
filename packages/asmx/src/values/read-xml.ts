import { ProtocolError } from '../contract/errors.ts';
import { TextCollector } from '../message/text-collector.ts';
import type { Content, ContentMode, XmlElement } from '../xml/handler.ts';
import type { LaterValues } from './input.ts';
import type { AnyPlan, ElementPlan, ObjectPlan, RoundsPlan } from './plan.ts';
import { type Frame, Frames, type ValueReading } from './reading/frames.ts';
import { anyOf, mayHave, memberOf, type RoundMember, setAbsent } from './reading/members.ts';
import { Openings } from './reading/openings.ts';
import { TextReading } from './reading/texts.ts';
import type { ValueError } from './value-reading.ts';
import { listIn, NOWHERE, reserveItem, storeValue, type ValueTarget } from './value-target.ts';
import { XmlCapture } from './xml-capture.ts';
import { isNil, PART_OF_ARRAY, positionOf, typeNameOf } from './xsi.ts';

/** An object or a list that a reader makes, and what it is made by. */
export interface ReadValue {
  readonly by: ObjectPlan | ElementPlan;
  readonly value: unknown;
}

/**
 * Reads values from the events of an XML reader as they arrive (wire 5). Unknown elements are
 * skipped, and told; of those that repeat against the contract the first counts; the order does not
 * matter. What does not match its type is kept among the `failures`, and reading goes on.
 *
 * Bounded by the limits `depth`, `elements` and `textChars` of the XML reader, and by `items`.
 */
export class XmlValueReader {
  readonly #frames = new Frames();
  readonly #texts: TextReading;
  readonly #openings: Openings;
  readonly #text = new TextCollector();

  constructor(reading: ValueReading) {
    this.#texts = new TextReading(reading);
    this.#openings = new Openings(reading, this.#frames, this.#texts);
  }

  /** Whether an element is open. */
  get busy(): boolean {
    return this.#frames.top !== undefined;
  }

  /** The first value of each parameter that did not match its type, by its property. */
  get failures(): ReadonlyMap<string, ValueError> {
    return this.#texts.failures;
  }

  /** What is made in each parameter when the call was let in, by its property. */
  get later(): ReadonlyMap<string, LaterValues> {
    return this.#texts.later;
  }

  /**
   * Begins at the element of a message, whose children the plan describes.
   * @param encoded whether it is in SOAP encoding: there clients that follow the schema qualify
   *   elements, and those that follow SOAP 1.1, section 5, do not.
   */
  begin(
    plan: ObjectPlan,
    element: XmlElement,
    value: Record<string, unknown>,
    encoded = false,
  ): ContentMode | Content {
    this.#openings.isEncoded = encoded;
    if (isNil(element)) {
      this.#frames.push({ kind: 'skip', to: NOWHERE });
      return 'skip';
    }
    const { namespaceOf } = element;
    if (element.attributes.length > 0) this.#openings.ignoreAttributes(element, [], NOWHERE);
    this.#frames.push({
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

  /**
   * Begins at an element that is a value.
   * @param isParameter whether it is the parameter of a bare operation.
   */
  beginElement(
    plan: ElementPlan,
    element: XmlElement,
    to: ValueTarget,
    isParameter: boolean,
    encoded = false,
  ): ContentMode | Content {
    this.#openings.isEncoded = encoded;
    this.#texts.parameter = isParameter ? plan.property : '';
    return this.#openings.value(plan, element, to, isParameter);
  }

  /**
   * The open element refers to bytes beside the message.
   * @returns the function that takes them; `undefined` if its value may not be bytes.
   */
  include(): ((bytes: Uint8Array) => void) | undefined {
    const frame = this.#frames.top;
    if (frame?.kind === 'object') {
      const { text } = frame.plan;
      if (text?.bytes === undefined) return undefined;
      frame.included = true;
      const to = { holder: frame.value, index: undefined, name: 'value' };
      return this.#texts.bytes(to, text, this.#frames.path());
    }
    if (
      frame?.kind !== 'text' ||
      frame.element.plan.kind !== 'simple' ||
      frame.element.plan.bytes === undefined
    )
      return undefined;
    frame.included = true;
    return this.#texts.bytes(frame.to, frame.element.plan, this.#frames.path());
  }

  /** What the innermost element makes; `undefined` for what its parts do not make as they come. */
  get opened(): ReadValue | undefined {
    const frame = this.#frames.top;
    if (frame?.kind === 'object' && !frame.isMessage) return { by: frame.plan, value: frame.value };
    if (frame?.kind === 'array' && frame.sizes === undefined)
      return { by: frame.item, value: frame.values };
    return undefined;
  }

  /**
   * Takes for the innermost element, which has just been opened, a value that was made before.
   * @returns false where that is of another type.
   */
  repeats({ by, value }: ReadValue): boolean {
    if (this.opened?.by !== by) return false;
    const { to } = this.#frames.top!;
    this.#frames.pop();
    storeValue(to, value);
    this.#frames.push({ kind: 'skip', to });
    return true;
  }

  /** Text stands where no value takes it. */
  stray(): void {
    this.#openings.ignore('#text', NOWHERE);
  }

  open(element: XmlElement): ContentMode | Content {
    const frame = this.#frames.top!;
    switch (frame.kind) {
      case 'object':
        return this.#openMember(frame, element);
      case 'array': {
        const { item, itemType } = frame;
        // .NET reads items by name. Other names, which some toolkits use, are accepted, too.
        this.#openings.countItem();
        if (element.attributes.length > 0) this.#checkPosition(element, frame);
        const to = reserveItem(listOfNext(frame), '');
        if (itemType === undefined || isNil(element) || typeNameOf(element) !== undefined)
          return this.#openings.value(item, element, to);
        return this.#openings.typed(itemType, item, element, to);
      }
      case 'capture':
        frame.capture.open(element);
        return 'text';
      case 'dataset':
        return frame.reader.open(element);
      case 'text':
      case 'file':
        throw elementInText(element, this.#frames.path());
      default:
        return 'skip';
    }
  }

  text(piece: string): void {
    const frame = this.#frames.top!;
    if (frame.kind === 'text' || (frame.kind === 'object' && frame.plan.text !== undefined))
      this.#text.add(piece);
    else if (frame.kind === 'file') frame.file.text(piece);
    else if (frame.kind === 'capture') {
      if (!frame.capture.text(piece)) this.stray();
    } else if (frame.kind === 'dataset') frame.reader.text(piece);
  }

  /** Reads a child that is a text and came whole, see {@link XmlHandler.leaf}. */
  leaf(index: number, text: string): void {
    const frame = this.#frames.top!;
    if (frame.kind === 'object') {
      const member = frame.plan.leaves.members[index]!;
      const { property } = member;
      if (frame.opened && Object.hasOwn(frame.value, property)) {
        this.#openings.ignore(member.name, NOWHERE);
        return;
      }
      frame.members++;
      if (frame.isMessage) frame.value[property] = this.#texts.raw(member, text);
      else this.#texts.readInto(frame.value, property, text, member.text!, this.#frames.path);
    } else if (frame.kind === 'array') {
      this.#openings.countItem();
      const { item } = frame;
      const values = listOfNext(frame);
      this.#texts.readInto(values as never, values.length, text, item.text!, this.#frames.path);
    }
  }

  close(): void {
    const frame = this.#frames.top!;
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
          setAbsent(frame.plan, frame.value);
        storeValue(frame.to, frame.value);
        break;
      case 'array':
        storeValue(frame.to, frame.values);
        if (frame.sizes !== undefined) this.#checkSizes(frame.sizes, frame.cells);
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
        this.#texts.make(frame.to, () => frame.reader.finish());
        break;
    }
    this.#frames.pop();
  }

  /** Whether the next item of an array is the one that it says it is: others may be left out. */
  #checkPosition(
    element: XmlElement,
    { values, sizes, cells }: Frame & { readonly kind: 'array' },
  ): void {
    const position = positionOf(element, sizes);
    if (position === undefined || position === (sizes === undefined ? values.length : cells))
      return;
    this.#texts.fail(this.#frames.path(), PART_OF_ARRAY);
  }

  /** Whether an array of several dimensions has as many items as it says. */
  #checkSizes(sizes: readonly number[], cells: number): void {
    if (cells === cellsOf(sizes)) return;
    const said = `[${sizes.join(',')}]`;
    const reason = `it has ${cells} items, and says that it is of ${said}.`;
    this.#texts.fail(this.#frames.path(), reason);
  }

  #closeText({ element, namespaceOf, isLater, to }: Frame & { kind: 'text' }): void {
    const text = this.#text.take();
    if (isLater) storeValue(to, this.#texts.raw(element, text));
    else this.#texts.read(to, text, element.text!, namespaceOf, this.#frames.path);
  }

  #readContent({ plan, value, namespaceOf }: Frame & { kind: 'object' }): void {
    const to = { holder: value, index: undefined, name: 'value' };
    this.#texts.read(to, this.#text.take(), plan.textPlan!, namespaceOf, this.#frames.path);
  }

  #closeFile({ file, to }: Frame & { kind: 'file' }): void {
    const wrong = file.end();
    if (wrong === undefined) storeValue(to, file);
    else this.#texts.fail(this.#frames.path(), wrong);
  }

  #openMember(frame: Frame & { kind: 'object' }, element: XmlElement): ContentMode | Content {
    const { plan, value } = frame;
    const member = memberOf(plan, element, this.#openings, value);
    frame.opened = true;
    if (frame.isMessage && member !== undefined) this.#texts.parameter = member.property;
    if (member !== undefined) return this.#openNamed(frame, member, value, element);
    const any = anyOf(plan, element, value);
    if (any !== undefined) return this.#openAnyMember(any, value, element);
    const rounds = plan.rounds.find((each) => each.plan.any.length > 0);
    const inRound = rounds && anyOf(rounds.plan, element, {});
    if (inRound !== undefined)
      return this.#openAnyMember(inRound, this.#round(rounds!, value, inRound), element);
    return this.#openings.skip(element, plan.byName.get(element.local)?.[0]?.namespace);
  }

  #openNamed(
    frame: Frame & { kind: 'object' },
    member: ElementPlan,
    value: Record<string, unknown>,
    element: XmlElement,
  ): ContentMode | Content {
    const { within, property } = member;
    if (within !== undefined) {
      const last = (value[within.property] as Record<string, unknown>[] | undefined)?.at(-1);
      // A round may hold groups that repeat themselves.
      const inLast = last && memberOf(within.plan, element, this.#openings, last);
      const fits = inLast && mayHave(within.plan, Object.keys(last!), inLast.within ?? inLast);
      const inside = fits ? inLast : memberOf(within.plan, element, this.#openings, {})!;
      const round = this.#round(within, value, inside.within ?? inside);
      return this.#openNamed(frame, inside, round, element);
    }
    if (member.repeated) {
      this.#openings.countItem();
      return this.#openings.value(member, element, reserveItem(listIn(value, property), property));
    }
    // Of repeated ones the first wins.
    if (!Object.hasOwn(value, property)) {
      value[property] = undefined;
      const to = { holder: value, index: undefined, name: property };
      return this.#openings.value(member, element, to, frame.isMessage);
    }
    return this.#openings.skip(element);
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
    this.#openings.countItem();
    const round: Record<string, unknown> = {};
    rounds.push(round);
    return round;
  }

  #openAnyMember(
    { property, repeated }: AnyPlan,
    value: Record<string, unknown>,
    element: XmlElement,
  ): ContentMode {
    // Of what may be there once the first counts.
    if (!repeated && Object.hasOwn(value, property)) return this.#openings.skip(element);
    const capture = new XmlCapture('drop');
    capture.open(element);
    this.#openings.countItem();
    const store = (xml: unknown) => {
      if (repeated) listIn(value, property).push(xml);
      else value[property] ??= xml;
    };
    this.#frames.push({
      kind: 'capture',
      capture,
      self: true,
      to: { holder: store, index: undefined, name: property },
    });
    return 'text';
  }
}

function elementInText({ local }: XmlElement, path: string): ProtocolError {
  return new ProtocolError(
    'MalformedRequest',
    `The value of ${path} holds the element <${local}>; write markup as &lt;${local}&gt; or in CDATA.`,
    { status: 400 },
    { parameter: path },
  );
}

/** The list that the next item of an array comes in: of one with several dimensions, a row. */
function listOfNext(frame: Frame & { readonly kind: 'array' }): unknown[] {
  const { values, sizes } = frame;
  if (sizes === undefined) return values;
  const at = frame.cells++;
  let row = values;
  let inRow = cellsOf(sizes);
  for (const size of sizes.slice(0, -1)) {
    inRow = size === 0 ? 0 : inRow / size;
    const index = inRow === 0 ? 0 : Math.floor(at / inRow) % size;
    row[index] ??= [];
    row = row[index] as unknown[];
  }
  return row;
}

const cellsOf = (sizes: readonly number[]): number =>
  sizes.reduce((product, size) => product * size, 1);
