import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';

const PAGES = ['README.md', 'docs/*.md', 'docs/{operations,security}/*.md', 'deploy/*.md'];

/** The commands that a page tells people to type: in blocks of shell, and between backquotes. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, block]) => block!);
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  const inline = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!);
  return [...lines, ...inline].flatMap((line) =>
    [
      ...line.matchAll(
        /(?:^|&& |; |\| |-- )(?:bin\/ws01\.js|ws01) ([a-z-].*?)(?= (?:&&|\||#|>) |;|$)/g,
      ),
    ].map(([, command]) => command!),
  );
}

/** What is wrong with a command; `undefined` if there is such a one, with all of its options. */
function faultOf(program: Command, command: string): string | undefined {
  const words = command.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  let at = program;
  for (let index = 0; index < words.length; index++) {
    const [name, value] = words[index]!.split('=');
    if (name === '…') return undefined;
    if (/^-./.test(name!)) {
      const option = [...at.options, ...program.options].find(({ long, short }) =>
        [long, short].includes(name),
      );
      if (option === undefined && name !== '--help') return `no option ${name}`;
      if (option?.required && value === undefined) index++;
      continue;
    }
    if (at.commands.length === 0) continue;
    const nexts = name!.split('|').map((one) => at.commands.find((next) => next.name() === one));
    if (nexts.includes(undefined)) return `no command ${name}`;
    at = nexts[0]!;
  }
  return undefined;
}

test('each command that a page tells people to type exists, with its options', async () => {
  const program = await createProgram();
  const wrong: string[] = [];
  let count = 0;
  for (const file of globSync(PAGES)) {
    for (const command of commandsOf(readFileSync(file, 'utf8'))) {
      count++;
      const fault = faultOf(program, command);
      if (fault !== undefined) wrong.push(`${file}: ws01 ${command}: ${fault}`);
    }
  }
  assert.ok(count > 150, `${count}`);
  assert.deepEqual(wrong, []);
});
