import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectImage } from '../../apps/ws01/src/domain/images/validation/inspect.ts';
import { ImageRefusal } from '../../apps/ws01/src/domain/images/validation/refusal.ts';
import { blackPng } from '../../apps/ws01/test/kit/images/containers.ts';
import type { Target } from '../kit/target.ts';
import { DOOR_TARGETS } from './doors.ts';
import { VALUE_TARGETS } from './values.ts';
import { WIRE_TARGETS } from './wire.ts';

let file: string | undefined;

/** A file that goes when the process ends. */
function scratchFile(): string {
  if (file === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'ws01-fuzz-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    file = join(folder, 'image');
  }
  return file;
}

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);
const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');

const IMAGE: Target = {
  name: 'image',
  summary: 'headers of JPEG, PNG, GIF, WebP and AVIF: told, or refused; never more than allowed',
  seeds: [GIF, JPEG, WEBP, blackPng(2, 2)],
  tokens: [
    'IHDR',
    'IDAT',
    'IEND',
    'acTL',
    'VP8X',
    'VP8L',
    'ANMF',
    'ftypavif',
    'meta',
    'iloc',
    'ispe',
    'iprp',
    'av1C',
    '\u0000\u0000\u0000\u0000',
    '\u00ff\u00d8',
  ],
  async run(input) {
    writeFileSync(scratchFile(), input);
    const bounds = { pixels: 50_000_000, frames: 1_000, decodeBytes: 256 * 1024 * 1024 };
    try {
      const { width, height, frames } = await inspectImage(scratchFile(), bounds);
      if (
        !(
          width >= 1 &&
          height >= 1 &&
          width * height * frames <= bounds.pixels &&
          frames <= bounds.frames
        )
      ) {
        throw new Error(`${width} × ${height} × ${frames} was accepted.`);
      }
    } catch (error) {
      if (!(error instanceof ImageRefusal)) throw error;
    }
  },
};

export const TARGETS: readonly Target[] = [
  ...WIRE_TARGETS,
  ...VALUE_TARGETS,
  ...DOOR_TARGETS,
  IMAGE,
];
