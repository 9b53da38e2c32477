/** A run of lines that both texts share, or that only one of them has. */
export interface Hunk {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Maximum product of both line counts for a line-by-line comparison; beyond it, all lines count as changed. */
const COMPARED = 1_000_000;

/**
 * Returns how one text became another, line by line: the longest common subsequence of lines. Common lines at the
 * beginning and end are skipped first; if the rest is too long, all of it counts as changed.
 */
export function differencesOf(before: string, after: string): readonly Hunk[] {
  const [earlier, later] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < earlier.length && start < later.length && earlier[start] === later[start]) start++;
  let end = 0;
  const most = Math.min(earlier.length, later.length) - start;
  while (end < most && earlier[earlier.length - 1 - end] === later[later.length - 1 - end]) end++;
  const lines: [Hunk['kind'], string][] = [
    ...earlier.slice(0, start).map((line): [Hunk['kind'], string] => ['same', line]),
    ...middle(earlier.slice(start, earlier.length - end), later.slice(start, later.length - end)),
    ...earlier.slice(earlier.length - end).map((line): [Hunk['kind'], string] => ['same', line]),
  ];
  return hunksOf(lines);
}

function hunksOf(lines: readonly (readonly [Hunk['kind'], string])[]): readonly Hunk[] {
  const hunks: { kind: Hunk['kind']; lines: string[] }[] = [];
  for (const [kind, line] of lines) {
    const last = hunks.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else hunks.push({ kind, lines: [line] });
  }
  return hunks.map(({ kind, lines: own }) => ({ kind, text: own.join('\n') }));
}

function middle(earlier: readonly string[], later: readonly string[]): [Hunk['kind'], string][] {
  if (earlier.length * later.length > COMPARED) {
    return [
      ...earlier.map((line): [Hunk['kind'], string] => ['removed', line]),
      ...later.map((line): [Hunk['kind'], string] => ['added', line]),
    ];
  }
  const width = later.length + 1;
  /** Longest common subsequence of the lines from each pair of positions on. */
  const kept = new Uint32Array((earlier.length + 1) * width);
  for (let i = earlier.length - 1; i >= 0; i--) {
    for (let j = later.length - 1; j >= 0; j--) {
      kept[i * width + j] =
        earlier[i] === later[j]
          ? kept[(i + 1) * width + j + 1]! + 1
          : Math.max(kept[(i + 1) * width + j]!, kept[i * width + j + 1]!);
    }
  }
  const lines: [Hunk['kind'], string][] = [];
  for (let i = 0, j = 0; i < earlier.length || j < later.length; ) {
    if (i < earlier.length && j < later.length && earlier[i] === later[j]) {
      lines.push(['same', earlier[i++]!]);
      j++;
    } else if (j === later.length || (i < earlier.length && kept[(i + 1) * width + j]! >= kept[i * width + j + 1]!)) {
      lines.push(['removed', earlier[i++]!]);
    } else {
      lines.push(['added', later[j++]!]);
    }
  }
  return lines;
}
