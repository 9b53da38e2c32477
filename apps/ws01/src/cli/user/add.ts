import { Command } from 'commander';
import { readRegistration, registerUsers } from '../../domain/users/users.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';

interface Options {
  readonly name?: string;
  readonly email?: string;
  readonly json?: true;
}

export function userAddCommand(): Command {
  return new Command('add')
    .description('Register a user, who may then send mail')
    .argument('<id>', 'the id of the user in calls')
    .option('--name <name>', 'the sender name of mails; empty clears it')
    .option('--email <address>', 'the reply address of mails; empty clears it')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
A user who exists becomes registered and keeps what is not given.

Examples:
  ws01 user add ada --name "Ada Lovelace" --email ada@example.com
  ws01 user add ada --email ""`,
    )
    .action((id: string, { name, email, json }: Options) => {
      const registration = readRegistration({ id, name, email });
      return withStore(async (store) => {
        await registerUsers(store, [registration], Date.now);
        await (json
          ? printJson({ id: registration.id, registered: true })
          : print(`Registered ${registration.id}.\n`));
      });
    });
}
