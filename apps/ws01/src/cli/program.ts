import { Command } from 'commander';
import { addEnvironmentFile } from '../config/environment.ts';
import { VERSION } from '../config/version.ts';
import { showUtc } from './io/output.ts';
import { settleErrors } from './usage-errors.ts';

interface Single {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** First in the help; loaded on use, so that other commands start without it. */
const SERVE: Single = {
  name: 'serve',
  description: 'Start the service',
  load: async () => (await import('./serve/serve.ts')).serveCommand(),
};

/** Groups of commands, loaded on use. */
const GROUPS: readonly {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<readonly Command[]>;
}[] = [
  {
    name: 'token',
    description: 'Credentials of the applications that call the service',
    load: async () => (await import('./token/commands.ts')).tokenCommands(),
  },
  {
    name: 'user',
    description: 'Registered users, who may send mail',
    load: async () => (await import('./user/commands.ts')).userCommands(),
  },
  {
    name: 'link',
    description: 'Short links',
    load: async () => (await import('./link/commands.ts')).linkCommands(),
  },
  {
    name: 'mail',
    description: 'Mails and their delivery',
    load: async () => (await import('./mail/commands.ts')).mailCommands(),
  },
  {
    name: 'sms',
    description: 'Text messages and their delivery',
    load: async () => (await import('./sms/commands.ts')).smsCommands(),
  },
  {
    name: 'webhook',
    description: 'Servers that receive events (webhooks)',
    load: async () => (await import('./webhook/commands.ts')).webhookCommands(),
  },
  {
    name: 'admin',
    description: 'People who may use the console',
    load: async () => (await import('./admin/commands.ts')).adminCommands(),
  },
  {
    name: 'db',
    description: 'Check, measure and maintain the database',
    load: async () => (await import('./db/commands.ts')).dbCommands(),
  },
  {
    name: 'files',
    description:
      'Image files without a record, the trash, and the database that the files belong to',
    load: async () => (await import('./files/commands.ts')).filesCommands(),
  },
  {
    name: 'audit',
    description: 'Who changed what, and when',
    load: async () => [(await import('./audit/list.ts')).auditListCommand()],
  },
];

/** Single commands, loaded on use. */
const SINGLE: readonly Single[] = [
  {
    name: 'install',
    description:
      'Install the service on this machine: user, settings, unit, proxy, first backup, first admin',
    load: async () => (await import('./install/install.ts')).installCommand(),
  },
  {
    name: 'status',
    description: 'Show what is wrong, since when, who is affected, and which command to run next',
    load: async () => (await import('./status/status.ts')).statusCommand(),
  },
  {
    name: 'doctor',
    description: 'Check everything the service needs, and say how to fix what fails',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand(),
  },
  {
    name: 'config',
    description: 'Show each setting in effect and where it comes from; secrets are masked',
    load: async () => (await import('./config.ts')).configCommand(),
  },
  {
    name: 'backup',
    description:
      'Back up the database and the image files, and verify the backup; the service may be running',
    load: async () => (await import('./backup/backup.ts')).backupCommand(),
  },
  {
    name: 'restore',
    description: 'Restore a backup; without --yes, show what would be done',
    load: async () => (await import('./backup/restore.ts')).restoreCommand(),
  },
  {
    name: 'purge',
    description:
      'Delete data whose retention period is over now, without waiting for the service to do it',
    load: async () => (await import('./purge.ts')).purgeCommand(),
  },
  {
    name: 'migrate',
    description: 'Update the database schema; the service does the same when it starts',
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  {
    name: 'export',
    description: 'Export all data to a folder in the portable format; the service may be running',
    load: async () => (await import('./export.ts')).exportCommand(),
  },
  {
    name: 'import',
    description: 'Import a folder in the portable format: JSON lines or CSV, and image files',
    load: async () => (await import('./import.ts')).importCommand(),
  },
  {
    name: 'copy',
    description: 'Copy all data from one database to another, such as from SQLite to PostgreSQL',
    load: async () => (await import('./copy.ts')).copyCommand(),
  },
  {
    name: 'bench',
    description: 'Measure how many reads a second a service answers; changes nothing',
    load: async () => (await import('./bench.ts')).benchCommand(),
  },
  {
    name: 'completion',
    description: 'Print a script that lets the shell complete commands and options',
    load: async () => (await import('./completion.ts')).completionCommand(createProgram),
  },
  {
    name: 'man',
    description: 'Print the manual page',
    load: async () => (await import('./man.ts')).manCommand(createProgram),
  },
  {
    name: 'demo',
    description: 'Serve a sample classifieds site from a temporary database, to try the console',
    load: async () => (await import('./demo/demo.ts')).demoCommand(),
  },
  {
    name: 'compare',
    description:
      "Compare an old service's WSDL with this service's, and list what clients would notice",
    load: async () => (await import('./compare.ts')).compareCommand(),
  },
  {
    name: 'record',
    description: 'Record the traffic of an old server, without its credentials',
    load: async () => (await import('./traffic.ts')).recordCommand(),
  },
  {
    name: 'replay',
    description: 'Replay recorded requests, and compare the answers',
    load: async () => (await import('./traffic.ts')).replayCommand(),
  },
];

/**
 * Creates the commands of `ws01`.
 * @param args the arguments after `ws01`; only the commands that they name are loaded, the others
 *   have only a description. Without it, all are loaded.
 */
export async function createProgram(args?: readonly string[]): Promise<Command> {
  const program = new Command('ws01')
    .description('The WS01 content and messaging service, and its administration')
    .version(VERSION)
    .option('--utc', 'show times in UTC instead of the local time zone')
    .option(
      '--env-file <file>',
      'read settings from a file of NAME=value lines; the environment wins',
    )
    .hook('preAction', (command) => {
      const { envFile, utc } = command.opts<{ envFile?: string; utc?: true }>();
      if (utc) showUtc();
      if (envFile !== undefined) addEnvironmentFile(envFile);
    });
  const named = (name: string) => args === undefined || args.includes(name);
  const addSingle = async ({ name, description, load }: Single) => {
    const command = named(name) ? await load() : new Command(name);
    program.addCommand(command.description(description));
  };
  await addSingle(SERVE);
  for (const { name, description, load } of GROUPS) {
    const group = new Command(name).description(description);
    if (named(name)) for (const command of await load()) group.addCommand(command);
    program.addCommand(group);
  }
  for (const single of SINGLE) await addSingle(single);
  program.addHelpText(
    'after',
    `
Commands read the same settings as the service (DATA_DIR or DATABASE_URL, see docs/configuration.md) and work while it
is running.

Examples:
  ws01 serve
  ws01 --env-file /etc/ws01.env serve
  ws01 token create --label website
  ws01 user add ada --email ada@example.com
  ws01 admin add ada --role owner`,
  );
  settleErrors(program, false);
  return program;
}
