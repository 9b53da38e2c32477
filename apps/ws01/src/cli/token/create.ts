import { Command } from 'commander';
import { issueToken } from '../../domain/credentials/tokens.ts';
import { TOKENS } from '../../records/tokens.ts';
import { readItem } from '../io/list.ts';
import { print, printJson, remark } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import {
  addTermOptions,
  assertUserKnown,
  KINDS_HELP,
  readTerms,
  type TermOptions,
} from './terms.ts';

interface Options extends TermOptions {
  readonly guid?: true;
  readonly json?: true;
}

export function tokenCreateCommand(): Command {
  return addTermOptions(new Command('create'))
    .description('Create a token and print its text, once')
    .option(
      '--guid',
      'create it in the form of a GUID, for applications that store their credential as one',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${KINDS_HELP}

Only the text goes to standard output, so that a script can use it:

Examples:
  TOKEN=$(ws01 token create --label website)
  ws01 token create --kind user --user ada --scopes articles,images --expires 90d
  ws01 token create --guid --scopes mail --user newsletter`,
    )
    .action(create);
}

function create(options: Options): Promise<void> {
  return withStore(async (store, config) => {
    const terms = readTerms(options, config.timeZone, Date.now());
    await assertUserKnown(store, options);
    const { id, text } = await issueToken(store, terms, Date.now, { guid: options.guid === true });
    if (options.json) {
      await printJson({ token: text, ...(await readItem(store, config, TOKENS, id)) });
      return;
    }
    await print(`${text}\n`);
    remark(`Keep it: it is shown only now. To revoke it: ws01 token revoke ${id}`);
  });
}
