import { Command } from 'commander';
import { findTokenByText, revokeToken } from '../../domain/credentials/tokens.ts';
import { TOKENS } from '../../records/tokens.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { answering, checkedUse } from '../io/answering.ts';
import { readItem } from '../io/list.ts';
import { readSecrets } from '../io/secrets.ts';

export function tokenRevokeCommand(): Command {
  const command = new Command('revoke')
    .description('Revoke a token permanently')
    .argument('[id]', 'its id, see ws01 token list')
    .option('--text', 'prompt for its text, or read it from standard input, instead of the id');
  return answering(
    checkedUse<{ text?: true }>(
      command,
      'Give the id of a token, or --text.',
      ({ text }, [id]) => (id === undefined) === (text === true),
    ),
    `Services that are running refuse it within 5 seconds. Revoking again changes nothing.

Examples:
  ws01 token revoke 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 token revoke --text < leaked.txt`,
    async ({ store, config }, given: string | undefined) => {
      const { id } = await revokeToken(store, given ?? (await idByText(store)), Date.now);
      return { json: await readItem(store, config, TOKENS, id), text: `Revoked ${id}.\n` };
    },
  );
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
