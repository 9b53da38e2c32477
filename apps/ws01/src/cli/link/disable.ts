import { Command } from 'commander';
import { Links } from '../../domain/links/links.ts';
import { isShortCode } from '../../domain/links/short-code.ts';
import { CommandFailure } from '../failure.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';

export function linkDisableCommand(): Command {
  return new Command('disable')
    .description('Disable a short link permanently')
    .argument('<link>', 'its code (see ws01 link list), or the whole link')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Services that are running answer it with 410 within 5 seconds. Its code is not given to another link. Taking it down
again changes nothing.

Examples:
  ws01 link disable Bh2dFgR
  ws01 link disable https://example.com/s/Bh2dFgR`,
    )
    .action((link: string, { json }: { json?: true }) =>
      withStore(async (store) => {
        const code = link.slice(link.lastIndexOf('/') + 1);
        if (!isShortCode(code) || !(await new Links({ store, clock: Date.now }).disable(code))) {
          throw new CommandFailure(
            'There is no such short link. Codes are case-sensitive; see ws01 link list.',
          );
        }
        await (json ? printJson({ code }) : print(`Disabled ${code}.\n`));
      }),
    );
}
