import type { CompiledOperation, CompiledService } from '../../contract/compiled.ts';
import { type EnvelopeTemplate, parseTemplate } from './template.ts';

/** Kinds of clients that are remembered for one operation; one that writes otherwise each time pushes out its like. */
const FRAMES_KEPT = 8;

/** The frames seen lately, by the operation that the headers name. */
export class TemplateCache {
  readonly #service: CompiledService;
  readonly #routed = new Map<CompiledOperation | undefined, EnvelopeTemplate[]>();
  #next = 0;

  constructor(service: CompiledService) {
    this.#service = service;
  }

  /**
   * The frame that an envelope begins with.
   * @param routed the operation that the headers name, `undefined` when they name none.
   */
  find(routed: CompiledOperation | undefined, body: Buffer): EnvelopeTemplate | undefined {
    let frames = this.#routed.get(routed);
    if (frames === undefined) {
      frames = [];
      this.#routed.set(routed, frames);
    }
    for (const frame of frames) if (beginsWith(body, frame.bytes)) return frame;
    const frame = parseTemplate(this.#service, routed, body);
    if (frame !== undefined) frames[frames.length < FRAMES_KEPT ? frames.length : this.#next++ % FRAMES_KEPT] = frame;
    return frame;
  }
}

function beginsWith(body: Buffer, bytes: Buffer): boolean {
  const { length } = bytes;
  return body.length >= length && body.compare(bytes, 0, length, 0, length) === 0;
}
