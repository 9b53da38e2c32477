import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const LIMITS = {
  maxRequestBytes: setting({
    variable: 'MAX_REQUEST_BYTES',
    form: forms.integer(1, GIB),
    fallback: String(4 * 1024 ** 2),
    documentation: 'Largest body of a request without an image, in bytes.',
  }),
  maxImageBytes: setting({
    variable: 'MAX_IMAGE_BYTES',
    form: forms.integer(1, GIB),
    fallback: String(10 * 1024 ** 2),
    documentation: 'Largest image file, in bytes; also limits the body of a request with an image.',
  }),
  maxUnauthenticatedBytes: setting({
    variable: 'MAX_UNAUTHENTICATED_BYTES',
    form: forms.integer(MIB, GIB),
    without: 'four times `MAX_REQUEST_BYTES`, and at least 16777216',
    documentation:
      'Memory in bytes that all requests together may use before their credentials are checked; beyond it the oldest request is refused, see [limits](security/limits.md).',
  }),
  maxCalls: setting({
    variable: 'MAX_CALLS',
    form: forms.integer(1, 1_000_000),
    fallback: '2000',
    documentation:
      'Largest number of concurrent calls in a process, waiting ones included, at most half of them from one address; further calls are answered `Busy`.',
  }),
  minBodyRate: setting({
    variable: 'MIN_BODY_RATE',
    form: forms.integer(1, GIB),
    fallback: '240',
    documentation:
      'Lowest average rate of a request body, in bytes per second; a slower one is refused.',
  }),
  bodyGraceSeconds: setting({
    variable: 'BODY_GRACE_SECONDS',
    form: forms.integer(1, 300),
    fallback: '5',
    documentation: 'Seconds that a request body may take before `MIN_BODY_RATE` applies.',
  }),
  maxUnreadBytes: setting({
    variable: 'MAX_UNREAD_BYTES',
    form: forms.integer(MIB, GIB),
    fallback: String(16 * MIB),
    documentation:
      'Memory in bytes for answers that clients have not read yet; beyond it the slowest client is disconnected, see [limits](security/limits.md).',
  }),
  apiBodyBytes: setting({
    variable: 'API_BODY_BYTES',
    form: forms.integer(1_024, GIB),
    fallback: '65536',
    documentation: 'Largest body of a request to the [HTTP API](api.md), in bytes.',
  }),
  apiPageItems: setting({
    variable: 'API_PAGE_ITEMS',
    form: forms.integer(100, 10_000),
    fallback: '100',
    documentation:
      'Largest number of items on one page of a list of the HTTP API, and of keys in a request for ratings.',
  }),
  apiSearchChars: setting({
    variable: 'API_SEARCH_CHARS',
    form: forms.integer(1, 1_000),
    fallback: '200',
    documentation: 'Longest search text of a list of the HTTP API, in code points.',
  }),
  apiRowsRead: setting({
    variable: 'API_ROWS_READ',
    form: forms.integer(100, 10_000_000),
    fallback: '10000',
    documentation:
      'Rows that one page of a list reads at most where there is no index, for example for a search; the search goes on with the next page.',
  }),
  apiReadMs: setting({
    variable: 'API_READ_MS',
    form: forms.integer(0, 60_000),
    fallback: '50',
    documentation:
      'How long one page of a list reads where there is no index, in ms, in steps of 1,000 rows; the search goes on with the next page.',
  }),
  apiStreams: setting({
    variable: 'API_STREAMS',
    form: forms.integer(1, 100_000),
    fallback: '100',
    documentation:
      'Largest number of concurrent live streams in a process, of [events](webhooks.md) and of the console’s overview; further ones are answered `Busy`.',
  }),
  apiStreamsPerPerson: setting({
    variable: 'API_STREAMS_PER_PERSON',
    form: forms.integer(1, 100_000),
    fallback: '10',
    documentation:
      'Largest number of concurrent live streams of one person or token in a process; further ones are answered `RateLimited`.',
  }),
  maxImagePixels: setting({
    variable: 'MAX_IMAGE_PIXELS',
    form: forms.integer(1, 2 ** 31 - 1),
    fallback: '50000000',
    documentation: 'Largest image in pixels, all frames together.',
  }),
  imageCacheBytes: setting({
    variable: 'IMAGE_CACHE_BYTES',
    form: forms.integer(0, 16 * GIB),
    fallback: String(32 * MIB),
    documentation:
      'Memory in bytes for image files that were shown lately, for each of the `WORKERS`, one file an eighth of it at most; 0: every image is read from the disk or from S3 each time.',
  }),
  imageDecoders: setting({
    variable: 'IMAGE_DECODERS',
    form: forms.integer(1, 64),
    fallback: '2',
    documentation:
      'Images decoded concurrently, each in its own process; for each of the `WORKERS`.',
  }),
  imageMemoryBytes: setting({
    variable: 'IMAGE_MEMORY_BYTES',
    form: forms.integer(128 * 1024 ** 2, 16 * GIB),
    fallback: String(256 * 1024 ** 2),
    documentation:
      'Memory in bytes for a process of `IMAGE_DECODERS`; an image that needs more is refused, see [images](operations/images.md).',
  }),
  imageCpuMs: setting({
    variable: 'IMAGE_CPU_MS',
    form: forms.integer(100, 600_000),
    fallback: '10000',
    documentation: 'CPU time for decoding an image, in ms; an image that needs more is refused.',
  }),
  imageQueue: setting({
    variable: 'IMAGE_QUEUE',
    form: forms.integer(0, 100_000),
    fallback: '200',
    documentation:
      'Largest number of images that wait to be decoded; further ones are answered `Busy`.',
  }),
} as const satisfies Record<string, Setting>;
