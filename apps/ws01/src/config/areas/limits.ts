import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

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
  maxImagePixels: setting({
    variable: 'MAX_IMAGE_PIXELS',
    form: forms.integer(1, 2 ** 31 - 1),
    fallback: '50000000',
    documentation: 'Largest image in pixels, all frames together.',
  }),
} as const satisfies Record<string, Setting>;
