import { SoapCallError, SoapFault } from '../../soap/errors.ts';
import { engineVersion } from '../emit/engine-package.ts';
import { ProjectError } from '../emit/write-project.ts';
import { RecordingError } from '../traffic/read-recording.ts';
import { oneLine, WsdlError } from '../wsdl-error.ts';
import { callCommand, plain } from './call-command.ts';
import { clientCommand } from './client-command.ts';
import { type Command, helpOf, parse, type Terminal, UsageError } from './command.ts';
import { compareCommand } from './compare-command.ts';
import { fromCommand } from './from-command.ts';
import { newCommand } from './new-command.ts';
import { recordCommand } from './record-command.ts';
import { redactCommand } from './redact-command.ts';
import { replayCommand } from './replay-command.ts';

const COMMANDS: readonly Command[] = [
  newCommand,
  fromCommand,
  clientCommand,
  callCommand,
  compareCommand,
  recordCommand,
  redactCommand,
  replayCommand,
];

/**
 * Runs one command of `asmx` in this process.
 * @param args what stands after `asmx`.
 * @returns the exit code: 0; 1 for a failure or, of a comparison, differences; 2 for a usage error
 *   or what cannot be read.
 */
export async function main(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // A reader that has seen enough, such as head, ends the output; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? 0 : 1),
  );
  return run(args, {
    print: (text) => process.stdout.write(text),
    remark: (line) => process.stderr.write(`asmx: ${line}\n`),
    environment,
    stop: stop.signal,
  });
}

/** The same without a process. */
export async function run(args: readonly string[], given: Terminal): Promise<number> {
  // What is printed may come out of a WSDL, which commands no terminal.
  const terminal: Terminal = {
    ...given,
    print: (text) => given.print(text.split('\n').map(oneLine).join('\n')),
    remark: (line) => given.remark(oneLine(line)),
  };
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    terminal.print(`${engineVersion()}\n`);
    return 0;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    terminal.remark(`There is no command ${JSON.stringify(name)}. See asmx --help.`);
    return 2;
  }
  try {
    const { values, positionals } = parse(command, rest);
    if (values.help) {
      terminal.print(helpOf(command));
      return 0;
    }
    return await command.run(positionals, values, terminal);
  } catch (error) {
    if (error instanceof UsageError)
      terminal.remark(`${error.message.replace(/\.$/, '')}. See asmx ${command.name} --help.`);
    else if (error instanceof SoapFault) terminal.remark(faultLine(error));
    else if (isTold(error)) terminal.remark(error.message);
    else if (isOfSystem(error))
      terminal.remark(`${error.path ?? error.address ?? error.syscall}: ${error.message}`);
    else throw error;
    return isFailure(error) ? 1 : 2;
  }
}

/**
 * A fault in one line: its code, its reason, and what it carries, by the contract or as it came.
 */
function faultLine({ code, message, fault, detail, detailXml }: SoapFault): string {
  const carried = fault === undefined ? detailXml : `${fault} ${JSON.stringify(detail, plain)}`;
  return `${code}: ${message}${carried === undefined ? '' : ` (${carried})`}`;
}

/** Errors that say in one line what was wrong and what would be right. */
function isTold(error: unknown): error is Error {
  return (
    error instanceof WsdlError ||
    error instanceof ProjectError ||
    error instanceof RecordingError ||
    error instanceof SoapCallError
  );
}

/** Errors that say nothing against the arguments. */
function isFailure(error: unknown): boolean {
  return (
    error instanceof ProjectError ||
    error instanceof SoapFault ||
    error instanceof SoapCallError ||
    isOfSystem(error)
  );
}

/** Errors of files and sockets. */
function isOfSystem(
  error: unknown,
): error is NodeJS.ErrnoException & { readonly address?: string } {
  return error instanceof Error && 'syscall' in error;
}

function overview(): string {
  const usage = COMMANDS.map((command) => [
    `asmx ${command.name} ${command.parameters.join(' ')}`,
    command.summary,
  ]);
  const width = Math.max(...usage.map(([left = '']) => left.length));
  return `Tools for old web services: generate a typed server or client from a WSDL, call, and compare old and new.

${usage.map(([left = '', right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')}

For one command: asmx <command> --help. For the version: asmx --version.
`;
}
