import { filledText } from '@ws01/asmx/internal/describe/samples/parts';
import { SampleTypes } from '@ws01/asmx/internal/describe/samples/types';
import { MOST, SampleTooLarge, SampleXml } from '@ws01/asmx/internal/describe/samples/xml';
import { inBody } from '@ws01/asmx/internal/values/message-plan';
import type { Element, Operation, Service } from './normal-form.ts';

export { SampleTooLarge };

/** The namespace of elements in a normal form is always said. */
const AROUND = { inner: '', indent: '' };

/** Writes elements of an old contract as its service takes them: the types' bounds are kept. */
export class OldSamples {
  readonly #writer: SampleXml;
  readonly #types: SampleTypes;

  constructor(service: Pick<Service, 'types' | 'namespace'>, use: Operation['use'] = 'literal') {
    this.#types = new SampleTypes(service, service.namespace, MOST.chars + 1);
    this.#writer = new SampleXml(this.#types, { isPage: false, encoded: use === 'encoded' });
  }

  /** One element with its content. @throws {SampleTooLarge} */
  element(element: Element): string {
    return filledText(this.#writer.element(element, { ...AROUND, outer: '' }));
  }

  /**
   * As often as it is written where it may repeat.
   * @param outer the default namespace where it stands.
   */
  elements(element: Element, outer: string): string {
    return filledText(this.#writer.elements(element, { ...AROUND, outer }));
  }

  /** The text of a value of a simple type. */
  text({ type }: Element): string {
    return this.#types.text(type);
  }

  /** What a message of an operation has in its body. @throws {SampleTooLarge} */
  body(operation: Operation, kind: 'input' | 'output' = 'input'): string {
    const { input, output, parameters, result, out } = operation;
    const results = result === undefined ? out : [result, ...out];
    const [name, elements] = kind === 'input' ? [input, parameters] : [output, results];
    if (name === undefined) return '';
    return filledText(this.#writer.body(elements.filter(inBody), operation, name, AROUND));
  }
}

/** What a message of an operation has in its body. @throws {SampleTooLarge} */
export function sampleBody(
  service: Pick<Service, 'types' | 'namespace'>,
  operation: Operation,
  kind?: 'input' | 'output',
): string {
  return new OldSamples(service, operation.use).body(operation, kind);
}
