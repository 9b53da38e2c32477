import assert from 'node:assert/strict';

/** What a client says of a call: the answer, or what a person sees of the refusal. */
export interface Line {
  readonly way: string;
  readonly name: string;
  readonly answer: string | null;
  readonly error: string | null;
}

/** Prints how many calls of each way were right, and throws for those that were not. */
export function check(lines: readonly Line[], isRight: (line: Line) => boolean, where = ''): void {
  for (const way of new Set(lines.map((line) => line.way))) {
    const own = lines.filter((line) => line.way === way);
    process.stdout.write(`| ${where}${way} | ${own.filter(isRight).length} of ${own.length} |\n`);
  }
  assert.deepEqual(
    lines.filter((line) => !isRight(line)).map((line) => JSON.stringify(line).slice(0, 400)),
    [],
  );
}
