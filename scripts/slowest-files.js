/** A reporter of `node --test`: which files took longest, so that a lane that grows is seen. */
import { relative } from 'node:path';

const SHOWN = 10;

export default async function* slowestFiles(source) {
  const durations = new Map();
  for await (const { type, data } of source) {
    const ended = type === 'test:pass' || type === 'test:fail';
    if (!ended || data.nesting > 0 || data.file === undefined) continue;
    durations.set(data.file, (durations.get(data.file) ?? 0) + data.details.duration_ms);
  }
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  yield `slowest files:\n`;
  for (const [file, ms] of slowest) yield `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(process.cwd(), file)}\n`;
}
