/** A run of lines that both texts share, or that only one of them has. */
export interface Hunk {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

export interface Differences {
  readonly hunks: readonly Hunk[];
  /**
   * Whether the texts differ in more lines than are compared with each other: then all of these
   * count as changed.
   */
  readonly isShortened: boolean;
}

/**
 * How many lines are compared line by line: of both texts together, and the product of both counts,
 * which is what the comparison costs. A text of a member may have a line for each of its bytes.
 */
const COMPARED_LINES = 20_000;
const COMPARED_PAIRS = 1_000_000;

/**
 * Returns how one text became another, line by line: the longest common subsequence of lines. What
 * is common at the beginning and end is skipped first, without a look at its lines; if too many
 * lines are left, all of them count as changed. The time grows with the length of the texts.
 */
export function differencesOf(before: string, after: string): Differences {
  if (before === after) return { hunks: [{ kind: 'same', text: before }], isShortened: false };
  const start = commonLines(before, after);
  const suffix = commonEnd(before, after, start);
  const [removed, added] = [before, after].map((text) => textBetween(text, start, suffix)) as [
    Middle,
    Middle,
  ];
  const isShortened = isMuch(removed, added);
  const between: readonly Run[] =
    isShortened || removed === undefined || added === undefined
      ? [...whole('removed', removed), ...whole('added', added)]
      : middle(removed.split('\n'), added.split('\n'));
  const same = [
    start > 0 ? whole('same', before.slice(0, start - 1)) : [],
    suffix === undefined ? [] : whole('same', before.slice(before.length - suffix)),
  ] as const;
  return { hunks: hunksOf([...same[0], ...between, ...same[1]]), isShortened };
}

/**
 * The lines of a text that the other one does not have at the same end of it; `undefined` for no
 * line.
 */
type Middle = string | undefined;

/** How long the lines are that both texts begin with, line ends included. */
function commonLines(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return at === 0 ? 0 : before.lastIndexOf('\n', at - 1) + 1;
}

/**
 * How long the lines are that both texts end with, behind the ones they begin with; `undefined` for
 * no line.
 */
function commonEnd(before: string, after: string, start: number): number | undefined {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (
    length < most &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  ) {
    length++;
  }
  const beginsLine = (text: string) => {
    const at = text.length - length;
    return at === start || text[at - 1] === '\n';
  };
  if (beginsLine(before) && beginsLine(after)) return length;
  const next = before.indexOf('\n', before.length - length);
  return next < 0 ? undefined : before.length - next - 1;
}

function textBetween(text: string, start: number, suffix: number | undefined): Middle {
  if (suffix === undefined) return text.slice(start);
  const end = text.length - suffix;
  return end === start ? undefined : text.slice(start, end - 1);
}

function isMuch(removed: Middle, added: Middle): boolean {
  // Where one has no line, there is nothing to compare.
  if (removed === undefined || added === undefined) return false;
  const [earlier, later] = [countLines(removed), countLines(added)];
  return earlier + later > COMPARED_LINES || earlier * later > COMPARED_PAIRS;
}

/** Counts the lines of a text, up to one more than are compared. */
function countLines(text: string): number {
  let count = 1;
  for (
    let at = text.indexOf('\n');
    at >= 0 && count <= COMPARED_LINES;
    at = text.indexOf('\n', at + 1)
  )
    count++;
  return count;
}

/** One or more lines. */
type Run = readonly [Hunk['kind'], string];

function whole(kind: Hunk['kind'], text: Middle): readonly Run[] {
  return text === undefined ? [] : [[kind, text]];
}

function hunksOf(runs: readonly Run[]): Hunk[] {
  const hunks: { kind: Hunk['kind']; lines: string[] }[] = [];
  for (const [kind, lines] of runs) {
    const last = hunks.at(-1);
    if (last?.kind === kind) last.lines.push(lines);
    else hunks.push({ kind, lines: [lines] });
  }
  return hunks.map(({ kind, lines: own }) => ({ kind, text: own.join('\n') }));
}

/**
 * A number for each line, the same for equal ones: comparing long lines with each other costs their
 * length.
 */
function numbersOf(lines: readonly string[], known: Map<string, number>): Uint32Array {
  return Uint32Array.from(lines, (line) => {
    const number = known.get(line) ?? known.size;
    known.set(line, number);
    return number;
  });
}

function middle(earlier: readonly string[], later: readonly string[]): readonly Run[] {
  const known = new Map<string, number>();
  const [before, after] = [numbersOf(earlier, known), numbersOf(later, known)];
  const width = later.length + 1;
  /** Longest common subsequence of the lines from each pair of positions on. */
  const kept = new Uint32Array((earlier.length + 1) * width);
  for (let i = earlier.length - 1; i >= 0; i--) {
    for (let j = later.length - 1; j >= 0; j--) {
      kept[i * width + j] =
        before[i] === after[j]
          ? kept[(i + 1) * width + j + 1]! + 1
          : Math.max(kept[(i + 1) * width + j]!, kept[i * width + j + 1]!);
    }
  }
  const lines: Run[] = [];
  for (let i = 0, j = 0; i < earlier.length || j < later.length; ) {
    if (i < earlier.length && j < later.length && before[i] === after[j]) {
      lines.push(['same', earlier[i++]!]);
      j++;
    } else if (
      j === later.length ||
      (i < earlier.length && kept[(i + 1) * width + j]! >= kept[i * width + j + 1]!)
    ) {
      lines.push(['removed', earlier[i++]!]);
    } else {
      lines.push(['added', later[j++]!]);
    }
  }
  return lines;
}
