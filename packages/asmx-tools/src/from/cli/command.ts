import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What a command needs of its process, so that it can be run without one. */
export interface Terminal {
  /** What was asked for. */
  readonly print: (text: string) => void;
  /** Remarks and errors. */
  readonly remark: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted when the person wants it to end. */
  readonly stop: AbortSignal;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** One command of `asmx`. */
export interface Command {
  readonly name: string;
  /** `<wsdl> <folder>`; the last one may be repeated, `<wsdl>...`, and be left out, `[name]`. */
  readonly parameters: readonly string[];
  readonly summary: string;
  readonly options: Options;
  /** What stands in its help behind the summary: options explained, exit codes, examples. */
  readonly help: string;
  /** @returns the exit code. */
  run(
    args: readonly string[],
    options: Readonly<Record<string, unknown>>,
    terminal: Terminal,
  ): Promise<number>;
}

/** A usage error: its message says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Takes a command's arguments apart. @throws {UsageError} */
export function parse(command: Command, args: readonly string[]) {
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
    if (values.help) return { values, positionals };
    const missing = command.parameters[positionals.length];
    if (missing?.startsWith('<') === true) throw new UsageError(`It needs ${missing}`);
    const extra = positionals[command.parameters.length];
    if (extra !== undefined && !command.parameters.at(-1)?.endsWith('...'))
      throw new UsageError(`${JSON.stringify(extra)} is an unexpected argument`);
    return { values, positionals };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const [line = ''] = (error as Error).message.split('\n');
    throw new UsageError(line.replace(/\. To specify.*$/, '').replace(/\.$/, ''));
  }
}

/** The help of a command. */
export function helpOf({ name, parameters, summary, help }: Command): string {
  return `asmx ${[name, ...parameters].join(' ')}\n\n${summary}\n\n${help.trim()}\n`;
}
