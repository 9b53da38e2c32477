import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';
import { print, printJson, remark } from './output.ts';
import { withStore } from './session.ts';

/** What a command answers. */
interface Answer {
  /** For programs (`--json`). */
  readonly json: unknown;
  /** For people, on standard output. */
  readonly text: string;
  /** For people, on standard error. */
  readonly remarks?: readonly string[];
}

/**
 * Completes a command that works on the database and answers once: adds `--json` and the help.
 * @param work gets the arguments of the command, then its options.
 */
export function answering<Given extends readonly unknown[]>(
  command: Command,
  help: string,
  work: (session: { store: Store; config: Config }, ...given: Given) => Promise<Answer>,
): Command {
  return command
    .option('--json', 'print one JSON object')
    .addHelpText('after', `\n${help}`)
    .action((...given) =>
      withStore(async (store, config) => {
        const { json, text, remarks = [] } = await work({ store, config }, ...(given as never));
        if (command.opts().json) return printJson(json);
        await print(text);
        for (const line of remarks) remark(line);
      }),
    );
}
