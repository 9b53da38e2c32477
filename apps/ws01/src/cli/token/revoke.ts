import { Command } from 'commander';
import { findTokenByText, revokeToken } from '../../domain/credentials/tokens.ts';
import { TOKENS } from '../../records/tokens.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { readItem } from '../io/list.ts';
import { print, printJson } from '../io/output.ts';
import { readSecrets } from '../io/secrets.ts';
import { withStore } from '../io/session.ts';

interface Options {
  readonly text?: true;
  readonly json?: true;
}

export function tokenRevokeCommand(): Command {
  return new Command('revoke')
    .description('Revoke a token permanently')
    .argument('[id]', 'its id, see ws01 token list')
    .option('--text', 'prompt for its text, or read it from standard input, instead of the id')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Services that are running refuse it within 5 seconds. Revoking again changes nothing.

Examples:
  ws01 token revoke 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 token revoke --text < leaked.txt`,
    )
    .action((id: string | undefined, options: Options, command: Command) => {
      if ((id === undefined) === (options.text === undefined)) {
        command.error('Give the id of a token, or --text.', { exitCode: 2 });
      }
      return withStore(async (store, config) => {
        const token = await revokeToken(store, id ?? (await idByText(store)), Date.now);
        await (options.json
          ? printJson(await readItem(store, config, TOKENS, token.id))
          : print(`Revoked ${token.id}.\n`));
      });
    });
}

async function idByText(store: Store): Promise<string> {
  const [secret, ...others] = await readSecrets('-', 'Token (not shown)');
  if (secret === undefined || others.length > 0) {
    throw new CommandFailure('Standard input must hold the text of one token.');
  }
  const token = await findTokenByText(store, secret.text);
  if (token === undefined) {
    throw new CommandFailure('There is no token with that text.');
  }
  return token.id;
}
