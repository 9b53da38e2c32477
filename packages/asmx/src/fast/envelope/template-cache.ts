import type { CompiledOperation, CompiledService } from '../../exchange/compiled.ts';
import { type EnvelopeTemplate, parseTemplate } from './template.ts';

/** Kinds of clients that are remembered for one operation; one that writes otherwise each time pushes out similar ones. */
const TEMPLATES_KEPT = 8;

/** The templates seen lately, by the operation that the headers name. */
export class TemplateCache {
  readonly #service: CompiledService;
  readonly #routed = new Map<CompiledOperation | undefined, EnvelopeTemplate[]>();
  #next = 0;

  constructor(service: CompiledService) {
    this.#service = service;
  }

  /**
   * The template that an envelope begins with.
   * @param routed the operation that the headers name, `undefined` when they name none.
   */
  find(routed: CompiledOperation | undefined, body: Buffer): EnvelopeTemplate | undefined {
    let templates = this.#routed.get(routed);
    if (templates === undefined) {
      templates = [];
      this.#routed.set(routed, templates);
    }
    for (const template of templates) if (beginsWith(body, template.bytes)) return template;
    const template = parseTemplate(this.#service, routed, body);
    if (template !== undefined)
      templates[
        templates.length < TEMPLATES_KEPT ? templates.length : this.#next++ % TEMPLATES_KEPT
      ] = template;
    return template;
  }
}

function beginsWith(body: Buffer, bytes: Buffer): boolean {
  const { length } = bytes;
  return body.length >= length && body.compare(bytes, 0, length, 0, length) === 0;
}
