/** The measure of durable writes: appends to a file and syncs it, all that has fallen due at once; nothing else. */
import { closeSync, fdatasync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Percentiles } from '../load/settings.ts';
import { Times } from '../load/tally.ts';

/** What it is told to do. */
export interface DiskLoad {
  /** Writes a second, evenly spaced. */
  readonly rate: number;
  /** Size of a write; bytes. */
  readonly bytes: number;
  readonly durationMs: number;
}

/** What it answers: from when a write was due until it was on the disk; ms. */
export interface DiskFindings {
  readonly latency: Percentiles;
}

/** As long as the service's log gets before it begins again, and written once before, as that is. */
const FILE_BYTES = 64 * 2 ** 20;
const CHUNK = Buffer.alloc(2 ** 20, 1);

const folder = mkdtempSync(join(tmpdir(), 'ws01-bench-'));
const file = openSync(join(folder, 'log'), 'w');
for (let at = 0; at < FILE_BYTES; at += CHUNK.length) writeSync(file, CHUNK);
fsyncSync(file);
let at = 0;

async function write({ rate, bytes, durationMs }: DiskLoad): Promise<DiskFindings> {
  const times = new Times();
  const interval = 1000 / rate;
  const end = performance.now() + durationMs;
  let due = performance.now();
  while (due < end) {
    const first = due;
    while (due <= performance.now()) due += interval;
    const count = Math.round((due - first) / interval);
    append(count * bytes);
    await synced();
    const now = performance.now();
    for (let index = 0; index < count; index++) times.add(now - first - index * interval);
    // A timer is late by up to a millisecond, which is no time of the disk.
    while (due > performance.now()) await (due - performance.now() > 3 ? sleep(1) : nextTurn());
  }
  return { latency: times.percentiles() };
}

function append(bytes: number): void {
  for (let left = bytes; left > 0; ) {
    if (at + CHUNK.length > FILE_BYTES) at = 0;
    at += writeSync(file, CHUNK, 0, Math.min(left, CHUNK.length), at);
    left = Math.max(0, left - CHUNK.length);
  }
}

function synced(): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(file, (error) => (error === null ? resolve() : reject(error))));
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

process.on('message', async (load: DiskLoad) => process.send!(await write(load)));
process.on('SIGTERM', () => {
  closeSync(file);
  rmSync(folder, { recursive: true });
  process.exit();
});
// What starts it waits for a URL.
console.log('http://127.0.0.1:0');
