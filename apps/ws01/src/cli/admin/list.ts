import { Command } from 'commander';
import { commandName } from '../../config/environment.ts';
import { type AdminSummary, listAdmins } from '../../domain/admins/admins.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

export function adminListCommand(): Command {
  return new Command('list')
    .description('List who may use the console')
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `

Examples:
  ws01 admin list
  ws01 admin list --json`,
    )
    .action(({ json }: { json?: true }) =>
      withStore(async (store) => {
        const admins = await listAdmins(store, Date.now());
        if (json) await printJson(admins.map(jsonOf));
        else if (admins.length === 0)
          remark(
            `Nobody has access to the console yet. To add yourself: ${commandName()} admin add NAME --role owner`,
          );
        else await print(table(HEADINGS, admins.map(rowOf)));
      }),
    );
}

const HEADINGS = ['NAME', 'ROLE', 'SIGNS IN BY', 'SESSIONS', 'LAST SIGN-IN', 'LINK UNTIL', 'ADDED'];

function rowOf({
  name,
  role,
  hasPassword,
  passkeys,
  sessions,
  signedInAt,
  linkUntil,
  createdAt,
}: AdminSummary) {
  const ways = [...(passkeys > 0 ? ['passkey'] : []), ...(hasPassword ? ['password'] : [])];
  return [
    name,
    role,
    ways.join(', ') || '-',
    String(sessions),
    shownInstant(signedInAt),
    shownInstant(linkUntil),
    shownInstant(createdAt),
  ];
}

function jsonOf({ createdAt, signedInAt, linkUntil, ...others }: AdminSummary) {
  return {
    ...others,
    createdAt: jsonInstant(createdAt),
    signedInAt: jsonInstant(signedInAt),
    linkUntil: jsonInstant(linkUntil),
  };
}
