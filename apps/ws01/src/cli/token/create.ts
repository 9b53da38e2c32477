import { Command } from 'commander';
import { issueToken } from '../../domain/credentials/tokens.ts';
import { TOKENS } from '../../records/tokens.ts';
import { answering } from '../io/answering.ts';
import { readItem } from '../io/list.ts';
import {
  addTermOptions,
  assertUserKnown,
  KINDS_HELP,
  readTerms,
  type TermOptions,
} from './terms.ts';

type Options = TermOptions & { readonly guid?: true };

export function tokenCreateCommand(): Command {
  return answering(
    addTermOptions(new Command('create'))
      .description('Create a token and print its text, once')
      .option(
        '--guid',
        'create it in the form of a GUID, for applications that store their credential as one',
      ),
    `${KINDS_HELP}

Only the text goes to standard output, so that a script can use it:

Examples:
  TOKEN=$(ws01 token create --label website)
  ws01 token create --kind user --user ada --scopes articles,images --expires 90d
  ws01 token create --guid --scopes mail --user newsletter`,
    async ({ store, config }, options: Options) => {
      const terms = readTerms(options, config.timeZone, Date.now());
      await assertUserKnown(store, options);
      const { id, text } = await issueToken(store, terms, Date.now, {
        guid: options.guid === true,
      });
      return {
        json: { token: text, ...(await readItem(store, config, TOKENS, id)) },
        text: `${text}\n`,
        remarks: [`Keep it: it is shown only now. To revoke it: ws01 token revoke ${id}`],
      };
    },
  );
}
