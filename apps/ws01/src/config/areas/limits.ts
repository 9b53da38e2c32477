import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const LIMITS = {
  maxRequestBytes: setting({
    variable: 'MAX_REQUEST_BYTES',
    form: forms.integer(1, GIB),
    fallback: String(4 * 1024 ** 2),
    documentation: 'Largest body of a request without an image.',
  }),
  maxImageBytes: setting({
    variable: 'MAX_IMAGE_BYTES',
    form: forms.integer(1, GIB),
    fallback: String(10 * 1024 ** 2),
    documentation: 'Largest image file; a body that carries one is bounded by this.',
  }),
  maxUnjudgedBytes: setting({
    variable: 'MAX_UNJUDGED_BYTES',
    form: forms.integer(MIB, GIB),
    without: 'four times `MAX_REQUEST_BYTES`, and at least 16777216',
    documentation:
      'What all requests together may hold in memory before their credentials are judged; beyond it the oldest is refused, see [limits](security/limits.md).',
  }),
  maxCalls: setting({
    variable: 'MAX_CALLS',
    form: forms.integer(1, 1_000_000),
    fallback: '2000',
    documentation:
      'Calls that may wait or be carried out at once in a process, and half of it for one address alone; beyond it they are told `Busy`.',
  }),
  minBodyRate: setting({
    variable: 'MIN_BODY_RATE',
    form: forms.integer(1, GIB),
    fallback: '240',
    documentation: 'Bytes a second that a request body must come with, on the average; a slower one is refused.',
  }),
  bodyGraceSeconds: setting({
    variable: 'BODY_GRACE_SECONDS',
    form: forms.integer(1, 300),
    fallback: '5',
    documentation: 'How many seconds of its arrival a request body has before `MIN_BODY_RATE` is enforced.',
  }),
  maxUnreadBytes: setting({
    variable: 'MAX_UNREAD_BYTES',
    form: forms.integer(MIB, GIB),
    fallback: String(16 * MIB),
    documentation:
      'What all answers together may hold that their clients do not read; beyond it the slowest client is disconnected, see [limits](security/limits.md).',
  }),
  maxImagePixels: setting({
    variable: 'MAX_IMAGE_PIXELS',
    form: forms.integer(1, 2 ** 31 - 1),
    fallback: '50000000',
    documentation: 'Largest image in pixels, all frames together.',
  }),
  imageDecoders: setting({
    variable: 'IMAGE_DECODERS',
    form: forms.integer(1, 64),
    fallback: '2',
    documentation: 'Images decoded at once, each in a process of its own; of each of the `WORKERS`.',
  }),
  imageMemoryBytes: setting({
    variable: 'IMAGE_MEMORY_BYTES',
    form: forms.integer(128 * 1024 ** 2, 16 * GIB),
    fallback: String(256 * 1024 ** 2),
    documentation:
      'Memory that one process of `IMAGE_DECODERS` may take; an image that would need more is refused, see [images](operations/images.md).',
  }),
  imageCpuMs: setting({
    variable: 'IMAGE_CPU_MS',
    form: forms.integer(100, 600_000),
    fallback: '10000',
    documentation: 'Processor time that one image may take, in ms; one that takes more is refused.',
  }),
  imageQueue: setting({
    variable: 'IMAGE_QUEUE',
    form: forms.integer(0, 100_000),
    fallback: '200',
    documentation: 'Images that wait to be decoded; further ones are answered `Busy`.',
  }),
} as const satisfies Record<string, Setting>;
