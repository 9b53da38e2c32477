import type { BinarySink } from '../../contract/binary.ts';
import { ProtocolError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import type { BodyBudget } from '../../exchange/body.ts';
import type { Call, PartialCall } from '../../exchange/call.ts';
import type { CompiledOperation } from '../../exchange/compiled.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ActionRoute } from '../../exchange/fast-path.ts';
import type { PartialValues } from '../../exchange/intake/intake.ts';
import {
  acceptsMediaType,
  isForUs,
  SOAP11,
  SOAP12,
  type SoapVersion,
  versionMismatch,
  versionOfEnvelope,
  wrongMediaTypeFor,
} from '../../exchange/soap-version.ts';
import type { LexicalContext } from '../../lexical/index.ts';
import { IgnoredMembers } from '../../message/ignored-members.ts';
import { ElementTree } from '../../values/element-tree.ts';
import { ElementInput, textOf } from '../../values/input.ts';
import { bodyOf, type MessagePlan } from '../../values/message-plan.ts';
import { clark, type ElementPlan } from '../../values/plan.ts';
import { XmlValueReader } from '../../values/read-xml.ts';
import type { FileText, ValueReading } from '../../values/reading/frames.ts';
import type { ValueError } from '../../values/value-reading.ts';
import type { XmlPosition } from '../../xml/errors.ts';
import type { Content, ContentMode, XmlElement, XmlHandler } from '../../xml/handler.ts';
import type { XmlReader } from '../../xml/reader.ts';
import { AddressingReader } from './addressing.ts';
import { contradiction, noOperation } from './route.ts';
import { SoapFile } from './soap-file.ts';

const HEADER_CONTENT: Content = { mode: 'skip', header: true };

/** The part of the envelope that is being read. */
type EnvelopeState = 'envelope' | 'header' | 'body' | 'operation' | 'after';

/** Tells where the token behind the tag just reported is. */
export type NextToken = Pick<XmlReader, 'nextToken'>;

/** What is known before an envelope is read, and the callbacks while it is read. */
export interface EnvelopeDeps {
  /** The call according to the headers. */
  readonly expected: PartialCall;
  readonly route: ActionRoute;
  /** The media type it came under, without parameters. */
  readonly mediaType: string;
  /** Creates the sink of a file parameter, where its bytes may come from beside the envelope. */
  readonly createSink?: () => BinarySink<unknown>;
  /** The parts beside the envelope, if it came with some. */
  readonly refer?: ValueReading['refer'];
  /** Told of the operation, once, when it is known. */
  readonly budget: BodyBudget;
}

/**
 * Interprets an envelope while it is read: finds the version, the operation and the parameters, and
 * skips the rest by the rules of wire 3 and wire 5. No name from the request becomes a key of an
 * object: names are looked up in the tables of the contract.
 */
export class EnvelopeHandler implements XmlHandler, PartialValues, ValueReading {
  /**
   * The reader that calls this; set by its creator before it reads. It is no function, because V8
   * allocates a function literal that is assigned to a property among the old objects: what it
   * refers to would outlive its request until the next full garbage collection.
   */
  reader: NextToken = { nextToken: { line: 1, column: 1 } };

  readonly #exchange: Exchange;
  readonly #deps: EnvelopeDeps;
  #version: SoapVersion | undefined;
  #place: EnvelopeState = 'envelope';
  #depth = 0;
  #bodySeen = false;
  #operation: CompiledOperation | undefined;
  #firstElement: string | undefined;
  /** The mandatory headers. */
  readonly #mandatory: { readonly uri: string; readonly local: string }[] = [];
  /** Headers of the option `understands` that were there. */
  readonly #once = new Set<string>();
  /** Reads the parameters. While it is busy, it gets all elements. */
  #parameters: XmlValueReader | undefined;
  /** Reads the headers, likewise. */
  #headerReader: XmlValueReader | undefined;
  /** Of these two the one that is reading, or was last. */
  #nested: XmlValueReader | undefined;
  /** The parameters, by property. */
  #input: Record<string, unknown> = {};
  /** The file that was opened last. */
  #file: SoapFile | undefined;
  #headers: Record<string, unknown> | undefined;
  #tree: ElementTree | undefined;
  /** What reads the headers that the tree keeps. */
  readonly #blocks: (() => void)[] = [];
  /** What the contract has no place for; most calls have none of it. */
  #ignored: IgnoredMembers | undefined;
  readonly #addressing: AddressingReader | undefined;

  get context(): LexicalContext {
    const { timeZone, now } = this.#exchange.service;
    return { form: 'element', timeZone, now };
  }

  get limits(): Limits {
    return this.#exchange.service.limits;
  }

  get isOpen(): boolean {
    return this.#exchange.service.isOpen;
  }

  get position(): XmlPosition {
    return this.reader.nextToken;
  }

  openFile(parameter: string): FileText {
    this.#file = new SoapFile(this.#exchange, parameter, this.#deps.createSink?.());
    return this.#file;
  }

  ignore(path: string, misplaced?: string): void {
    this.#ignored ??= new IgnoredMembers();
    this.#ignored.add(path, misplaced);
  }

  refer(contentId: string, take: (bytes: Uint8Array) => void): boolean {
    return this.#deps.refer?.(contentId, take) ?? false;
  }

  /** Resolves when the sink of the file has accepted the data; `undefined` when it already has. */
  get drained(): Promise<void> | undefined {
    return this.#file?.drained;
  }

  constructor(exchange: Exchange, deps: EnvelopeDeps) {
    this.#exchange = exchange;
    this.#deps = deps;
    if (exchange.service.addressing !== undefined) this.#addressing = new AddressingReader();
  }

  /** The part of the call that is known so far. */
  get call(): PartialCall {
    const { expected } = this.#deps;
    const version = this.#version;
    return {
      protocol: version?.name ?? expected.protocol,
      version: version ?? expected.version,
      operation: this.#operation ?? expected.operation,
      addressed: this.#addressing?.addressed,
      ignored: this.#ignored,
    };
  }

  textAt(index: number): string | undefined {
    return textOf(this.#input[this.#operation!.message.request.elements[index]!.property]);
  }

  open(element: XmlElement): ContentMode | Content {
    const depth = this.#depth++;
    if (this.#nested?.busy === true) return this.#nested.open(element);
    if (this.#tree?.busy === true) return this.#tree.open(element);
    if (this.#addressing?.busy === true)
      return { mode: this.#addressing.open(element), header: true };
    switch (depth) {
      case 0:
        return this.#openEnvelope(element);
      case 1:
        return this.#openPart(element);
      case 2:
        return this.#place === 'header' ? this.#openHeader(element) : this.#openBodyChild(element);
      default:
        return 'skip';
    }
  }

  text(piece: string): void {
    if (this.#nested?.busy === true) this.#nested.text(piece);
    else if (this.#tree?.busy === true) this.#tree.text(piece);
    else if (this.#addressing?.busy === true) this.#addressing.text(piece);
  }

  leaf(index: number, text: string): void {
    this.#nested!.leaf(index, text);
  }

  stray(): void {
    if (this.#nested?.busy === true) this.#nested.stray();
    else this.ignore('#text');
  }

  close(): void {
    const depth = --this.#depth;
    if (this.#nested?.busy === true) this.#nested.close();
    else if (this.#tree?.busy === true) this.#tree.close();
    else if (this.#addressing?.busy === true) this.#addressing.close();
    if (depth === 2 && this.#place === 'operation') this.#place = 'after';
    else if (depth === 1 && this.#place === 'header') this.#place = 'envelope';
  }

  /**
   * Called at the end of a well-formed envelope, before the parts that follow it.
   * @returns the operation that it calls. @throws {ProtocolError}
   */
  complete(): CompiledOperation {
    if (!this.#bodySeen) throw missingPart('soap:Body');
    const operation = this.#operation ?? this.#operationOfEmptyBody();
    this.#checkMandatory(operation);
    if (this.#headerReader !== undefined) {
      this.#nested = this.#headerReader;
      for (const readBlock of this.#blocks) readBlock();
    }
    if (operation.message.encoded) {
      const told = this.ignore.bind(this);
      this.#tree?.replay(this.#parameterReader(), operation.message, this.#input, told);
    }
    return operation;
  }

  /** A parameter came in a part beside the envelope. */
  attached({ property }: ElementPlan, value: unknown): void {
    this.#input[property] = value;
  }

  /**
   * Called when all of the message has come.
   * @param operation what {@link complete} returned. @returns the call. @throws {ProtocolError}
   */
  async finish(operation = this.complete()): Promise<Call> {
    const { request } = operation.message;
    const given = this.#input;
    for (const { property } of request.elements) {
      const value = given[property];
      if (value instanceof SoapFile) given[property] = await value.finish();
    }
    const valueAt = (index: number) => given[request.elements[index]!.property];
    const input = new ElementInput(request.elements, valueAt, {
      context: this.context,
      check: 'bounds',
      failures: this.#failures(),
      later: this.#parameters?.later,
    });
    return { ...this.call, operation, input, headers: this.#headers };
  }

  /**
   * The open element refers to bytes beside the envelope.
   * @returns the function that takes them; `undefined` if its value may not be bytes.
   */
  include(): ((bytes: Uint8Array) => void) | undefined {
    return this.#nested?.busy === true ? this.#nested.include() : undefined;
  }

  #openEnvelope(element: XmlElement): ContentMode {
    const version = versionOfEnvelope(element.uri);
    if (version === undefined || !this.#exchange.service.bindings.has(version.name))
      throw versionMismatch(element.uri);
    this.#version = version;
    if (element.local !== 'Envelope') throw missingPart('soap:Envelope');
    const { mediaType } = this.#deps;
    if (!acceptsMediaType(version, mediaType)) throw wrongMediaTypeFor(version, mediaType);
    return 'elements';
  }

  #openPart(element: XmlElement): ContentMode {
    if (this.#bodySeen) return 'skip';
    const own = element.uri === this.#version!.envelope;
    if (own && element.local === 'Body') {
      this.#bodySeen = true;
      this.#place = 'body';
      return 'elements';
    }
    if (own && element.local === 'Header' && this.#place === 'envelope') {
      this.#place = 'header';
      return 'elements';
    }
    throw missingPart('soap:Body');
  }

  #openHeader(element: XmlElement): Content {
    // In the namespace of either version, that of SOAP 1.1 first. ASP.NET allows no blanks around
    // the value.
    const says = ({ envelope }: SoapVersion) =>
      element.attributes.find((each) => each.local === 'mustUnderstand' && each.uri === envelope)
        ?.value;
    const value = says(SOAP11) ?? says(SOAP12);
    const { uri, local } = element;
    if (this.#addressing?.knows(uri) === true)
      return { mode: this.#addressing.begin(element), header: true };
    if (value === '1' || value === 'true') this.#mandatory.push({ uri, local });
    const { headers, understood } = this.#exchange.service;
    const name = headers.size === 0 ? '' : clark(uri, local);
    const known = headers.get(name);
    if (known === undefined) return HEADER_CONTENT;
    if (understood.has(name)) {
      if (!isForUs(element.attributes)) return HEADER_CONTENT;
      // A checker in front of us that reads the first, or one behind us that reads the second, must
      // see the same caller as we do.
      if (this.#once.has(name))
        throw new ProtocolError('MalformedRequest', `The SOAP header ${local} is there twice.`);
      this.#once.add(name);
    }
    this.#headers ??= {};
    const given = this.#headers;
    this.#headerReader ??= new XmlValueReader(this);
    const holder = (value: unknown) => {
      given[known.property] ??= value;
    };
    const to = { holder, index: undefined, name: known.property };
    const reader = this.#headerReader;
    const read = (its: XmlElement) => reader.beginElement(known, its, to, false, known.encoded);
    if (known.encoded) {
      this.#nested = undefined;
      this.#tree ??= new ElementTree();
      this.#blocks.push(this.#tree.beginBlock(element, reader, read));
      return { mode: 'text', header: true };
    }
    this.#nested = reader;
    const content = read(element);
    return { ...(typeof content === 'string' ? { mode: content } : content), header: true };
  }

  #openBodyChild(element: XmlElement): ContentMode | Content {
    if (this.#operation?.message.encoded === true) return this.#tree!.begin(element);
    if (this.#operation !== undefined) return this.#openFurther(this.#operation, element);
    const { service } = this.#exchange;
    const qualified = `{${element.uri}}${element.local}`;
    const named = this.#operationOf(qualified, element.local);
    this.#firstElement ??= qualified;
    const routed = this.#deps.route.operation;
    if (routed !== undefined) {
      // The element of the action's operation may come behind others. If it never comes, the fault
      // names the first of them.
      if (named !== routed) {
        this.ignore(element.local);
        return 'skip';
      }
    } else if (named === undefined) throw noOperation(service, this.#deps.route, qualified);
    this.#begin(named!);
    this.#place = 'operation';
    return this.#beginMessage(named!.message, element);
  }

  #begin(operation: CompiledOperation): void {
    this.#operation = operation;
    this.#deps.budget.settle(operation);
    this.#exchange.intake.reads(this.#version!.name, operation, this);
  }

  #operationOf(qualified: string, local: string): CompiledOperation | undefined {
    const found = this.#exchange.service.byElement.get(qualified);
    const routed = this.#deps.route.operation;
    if (routed === undefined) return found;
    const { input, rpc } = routed.message;
    // Where a WSDL has no namespace for the wrapper, clients take that of the WSDL or of the
    // envelope.
    if (rpc && input.namespace === '' && local === input.name) return routed;
    // Of several elements side by side the first may be absent.
    const { message } = routed;
    const name = message.encoded ? clark(message.input.namespace, local) : qualified;
    if (bareElement(message, name) !== undefined) return routed;
    if (found === undefined) return found;
    // Where several operations have the element, the action tells them apart.
    return qualified === clark(input.namespace, input.name) ? routed : found;
  }

  #beginMessage(message: MessagePlan, element: XmlElement): ContentMode | Content {
    if (message.encoded) {
      this.#tree ??= new ElementTree();
      return this.#tree.begin(element);
    }
    const reader = this.#parameterReader();
    const elements = bodyOf(message.request);
    const holder = this.#input;
    if (!message.bare || elements.length === 0)
      return reader.begin(message.request, element, holder);
    const bare = bareElement(message, clark(element.uri, element.local)) ?? elements[0]!;
    const to = { holder, index: undefined, name: bare.property };
    return reader.beginElement(bare, element, to, true);
  }

  /** A further element in the body: of a bare operation another parameter. */
  #openFurther({ message }: CompiledOperation, element: XmlElement): ContentMode | Content {
    const bare = bareElement(message, clark(element.uri, element.local));
    if (bare === undefined || Object.hasOwn(this.#input, bare.property)) {
      this.ignore(element.local);
      return 'skip';
    }
    this.#place = 'operation';
    return this.#beginMessage(message, element);
  }

  #parameterReader(): XmlValueReader {
    this.#parameters ??= new XmlValueReader(this);
    this.#nested = this.#parameters;
    return this.#parameters;
  }

  /** What was wrong with the parameters, and before all with a header. */
  #failures(): ReadonlyMap<string, ValueError> | undefined {
    const wrong = this.#parameters?.failures;
    const [header] = this.#headerReader?.failures.values() ?? [];
    return header === undefined ? wrong : new Map([...(wrong ?? []), ['', header]]);
  }

  /** @throws {ProtocolError} for a mandatory header that the operation does not read. */
  #checkMandatory({ message }: CompiledOperation): void {
    for (const { uri, local } of this.#mandatory) {
      const known = message.headersIn.some(
        ({ namespace, name }) => namespace === uri && name === local,
      );
      if (known !== true && !this.#exchange.service.understood.has(clark(uri, local)))
        throw new ProtocolError('MustUnderstand', `SOAP header ${local} was not understood.`);
    }
  }

  #operationOfEmptyBody(): CompiledOperation {
    const { service } = this.#exchange;
    const routed = this.#deps.route.operation ?? service.byEmptyBody;
    if (routed === undefined) throw noOperation(service, this.#deps.route, undefined);
    if (this.#firstElement !== undefined) throw contradiction(routed, this.#firstElement);
    // An empty Body calls the action's operation with nothing given, as ASP.NET does.
    this.#begin(routed);
    return routed;
  }
}

/** The parameter of a bare operation that an element in the body is. */
function bareElement({ bare, request }: MessagePlan, qualified: string): ElementPlan | undefined {
  if (!bare) return undefined;
  return bodyOf(request).find(({ namespace, name }) => clark(namespace, name) === qualified);
}

function missingPart(part: 'soap:Envelope' | 'soap:Body'): ProtocolError {
  return new ProtocolError(
    'MalformedRequest',
    `Request format is invalid: Missing required ${part} element.`,
    {
      faultstring: `Server was unable to read request. ---> Request format is invalid: Missing required ${part} element.`,
    },
  );
}
