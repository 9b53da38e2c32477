import type { CompiledOperation } from '../../contract/compiled.ts';
import type { Call } from '../../engine/call.ts';
import { ProtocolError } from '../../engine/errors.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { isRefusal, refusalHeaders } from '../../engine/result.ts';
import type { LexicalContext } from '../../lexical/index.ts';
import type { WireResponse } from '../../message/http.ts';
import { TextCollector } from '../../message/text-collector.ts';
import type { MessagePlan } from '../../values/message-plan.ts';
import { type ElementPlan, renamed, type SimplePlan } from '../../values/plan.ts';
import { responseValues } from '../../values/response.ts';
import { readText, ValueError } from '../../values/value-reading.ts';
import { XmlValueWriter } from '../../values/write-xml.ts';
import { escapeAttribute } from '../../xml/writer.ts';
import type { FormHandler } from './form-reader.ts';
import { indented } from './indented.ts';

/**
 * Turns the pairs of a form into the parameters of an operation whose messages have plans: scalars, and lists of
 * scalars. The items of a list are pairs with one name.
 */
export class MessageForm implements FormHandler {
  readonly #exchange: Exchange;
  readonly #message: MessagePlan;
  readonly #texts: string[][];
  readonly #byName: ReadonlyMap<string, number>;
  #current = -1;
  readonly #text = new TextCollector();

  /** @throws {ProtocolError} UnknownOperation when forms cannot carry its parameters. */
  constructor(exchange: Exchange, operation: CompiledOperation, message: MessagePlan) {
    if (!message.isForm) {
      throw new ProtocolError(
        'UnknownOperation',
        `${operation.name} cannot be called by GET and POST: its parameters are more than scalars and lists of them. Use SOAP or JSON.`,
      );
    }
    this.#exchange = exchange;
    this.#message = message;
    const { elements } = message.request;
    this.#texts = elements.map(() => []);
    this.#byName = new Map(elements.map(({ name }, index) => [name.toLowerCase(), index]));
  }

  readonly drained = undefined;

  open(name: string): 'text' | 'skip' {
    this.#current = this.#byName.get(name.toLowerCase()) ?? -1;
    return this.#current < 0 ? 'skip' : 'text';
  }

  openFile(name: string): 'text' | 'skip' {
    return this.open(name);
  }

  bytes(): void {}

  text(piece: string): void {
    this.#text.add(piece);
  }

  close(): void {
    if (this.#current >= 0) this.#texts[this.#current]!.push(this.#text.take());
    this.#current = -1;
  }

  textAt(index: number): string | undefined {
    return this.#texts[index]?.[0];
  }

  finish(): Pick<Call, 'values' | 'failure'> {
    const { timeZone, now } = this.#exchange.service;
    const context: LexicalContext = { form: 'text', timeZone, now };
    let failure: ValueError | undefined;
    const attempt = (element: ElementPlan, text: string, path: string): unknown => {
      try {
        return readText(element.plan as SimplePlan, text, element, context, () => path);
      } catch (error) {
        if (!(error instanceof ValueError)) throw error;
        failure ??= error;
        return undefined;
      }
    };
    const values = this.#message.request.elements.map((element, index) => {
      const texts = this.#texts[index]!;
      const { plan, name } = element;
      if (texts.length === 0) return element.absent;
      if (plan.kind === 'array') return texts.map((text, at) => attempt(plan.item, text, `${name}[${at}]`));
      if (element.repeated) return texts.map((text, at) => attempt(element, text, `${name}[${at}]`));
      // As ASP.NET, which joins what repeats (wire 7).
      return attempt(element, texts.join(','), name);
    });
    return { values, failure };
  }
}

const OK_HEADERS = { 'Content-Type': 'text/xml; charset=utf-8', 'Cache-Control': 'private, max-age=0' };
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\r\n';
const PREFIXES = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/**
 * Writes the result as an indented document, whose root is named after its type. Void is an empty body.
 * @throws {ResultError}
 */
export function writeMessage(exchange: Exchange, message: MessagePlan, result: unknown): WireResponse {
  const headers = isRefusal(result) ? { ...OK_HEADERS, ...refusalHeaders(result) } : OK_HEADERS;
  const { result: element } = message;
  if (element === undefined)
    return { status: message.oneWay ? 202 : 200, headers: { 'Cache-Control': 'private, max-age=0' }, body: '' };
  const { namespace } = exchange.service;
  const { plan } = element;
  const name = plan.name === '' ? element.name : plan.name;
  const value = responseValues(message, result)[element.property];
  const writer = new XmlValueWriter(false);
  writer.element(
    { ...renamed(element, { name, namespace }), nillable: true },
    value ?? null,
    namespace,
    element.property,
  );
  // XmlSerializer declares the prefixes only where something may use them.
  const prefixes = plan.kind === 'simple' && value !== null && value !== undefined ? '' : `${PREFIXES} `;
  const root = `<${name} ${prefixes}xmlns="${escapeAttribute(namespace)}"`;
  return { status: 200, headers, body: DECLARATION + indented(root + writer.xml.slice(name.length + 1)) };
}
