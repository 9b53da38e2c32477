import { Command } from 'commander';
import { withJson } from './io/options.ts';
import { print, printJson } from './io/output.ts';

/** @param createProgram creates all commands. */
export function manCommand(createProgram: () => Promise<Command>): Command {
  return withJson(
    new Command('man'),
    `Examples:
  ws01 man | man -l -
  ws01 man > /usr/local/share/man/man1/ws01.1`,
  ).action(async ({ json }: { json?: true }) => {
    const page = pageOf(await createProgram());
    await (json ? printJson({ page }) : print(page));
  });
}

/** Returns a page for man(7). */
function pageOf(program: Command): string {
  const sections = leavesOf(program, 'ws01').map(({ command, path }) => sectionOf(command, path));
  return `.TH WS01 1 "" "ws01 ${program.version()}" "User Commands"
.SH NAME
ws01 \\- ${plain(program.description())}
.SH SYNOPSIS
.B ws01
.RI [ options ] " command " [ arguments ]
.SH DESCRIPTION
Commands read the settings of the service from the environment, also while it is running.
.SH OPTIONS
${optionsOf(program)}
.SH COMMANDS
${sections.join('')}.SH EXIT STATUS
0 when it was done, 1 when it could not be, 2 for a usage error, 78 for settings that cannot be used.
`;
}

interface Leaf {
  readonly command: Command;
  readonly path: string;
}

function leavesOf(command: Command, path: string): Leaf[] {
  if (command.commands.length === 0) return [{ command, path }];
  return command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`));
}

function sectionOf(command: Command, path: string): string {
  const takes = command.registeredArguments.map((one) => {
    const name = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? `<${name}>` : `[${name}]`;
  });
  return `.SS ${plain([path, ...takes].join(' '))}\n${plain(command.description())}\n${optionsOf(command)}\n`;
}

function optionsOf(command: Command): string {
  return command.options
    .map(({ flags, description }) => `.TP\n.B ${plain(flags)}\n${plain(description)}`)
    .join('\n');
}

/** Escapes what roff would interpret. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
