import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';
import { withJson } from './options.ts';
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
  /** Thrown once the answer is printed. */
  readonly failure?: Error | undefined;
}

/** What a command works on, unless it opens something of its own. */
interface Session {
  readonly store: Store;
  readonly config: Config;
}

/**
 * Completes a command that answers once: adds `--json` and the help.
 * @param work gets the arguments of the command, then its options.
 * @param within opens what the command works on, and closes it; absent: the database.
 */
export function answering<Given extends readonly unknown[], On = Session>(
  command: Command,
  help: string,
  work: (on: On, ...given: Given) => Promise<Answer>,
  within: (run: (on: On) => Promise<void>) => Promise<void> = withSession as never,
): Command {
  return withJson(command, help).action((...given) =>
    within(async (on) => {
      const { json, text, remarks = [], failure } = await work(on, ...(given as never));
      if (command.opts().json) await printJson(json);
      else {
        await print(text);
        for (const line of remarks) remark(line);
      }
      if (failure !== undefined) throw failure;
    }),
  );
}

function withSession(run: (session: Session) => Promise<void>): Promise<void> {
  return withStore((store, config) => run({ store, config }));
}

/**
 * Checks the arguments and options of a command before anything is opened.
 * @param isRight whether they go together. @param wrong what is said if not; the exit code is 2.
 */
export function checkedUse<Options>(
  command: Command,
  wrong: string,
  isRight: (options: Options, args: readonly unknown[]) => boolean,
): Command {
  return command.hook('preAction', () => {
    if (!isRight(command.opts() as Options, command.processedArgs))
      command.error(wrong, { exitCode: 2 });
  });
}
