import type { ReplayReport } from './replay.ts';

/** What a replay says to a person. */
export function replayLines({
  replayed,
  same,
  different,
  causes,
  skipped,
}: ReplayReport): string[] {
  const lines = causes.map(({ operation, cause, count, line, old, ours }) => {
    const what = `${operation || '(no operation)'}: ${cause}`;
    const where = `${count} ${count === 1 ? 'time' : 'times'}, first in line ${line}`;
    return `${what}: ${where}: ${old || '(empty)'} | ours ${ours || '(empty)'}`;
  });
  lines.push(`${replayed} replayed: ${same} the same, ${different} different.`);
  for (const [reason, count] of Object.entries(skipped))
    lines.push(`note: ${count} not replayed: ${reason}`);
  return lines;
}
