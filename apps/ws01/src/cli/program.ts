import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addEnvironmentFile } from '../config/environment.ts';
import { showUtc } from './io/output.ts';
import { serveCommand } from './serve/serve.ts';
import { settleErrors } from './usage-errors.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Commands that have a first name in common; loaded when they are called, so that the others start without them. */
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
    description: 'Mails and what became of them',
    load: async () => (await import('./mail/commands.ts')).mailCommands(),
  },
  {
    name: 'sms',
    description: 'Text messages and what became of them',
    load: async () => (await import('./sms/commands.ts')).smsCommands(),
  },
  {
    name: 'webhook',
    description: 'Servers that are told of events',
    load: async () => (await import('./webhook/commands.ts')).webhookCommands(),
  },
  {
    name: 'admin',
    description: 'People who may use the console',
    load: async () => (await import('./admin/commands.ts')).adminCommands(),
  },
  {
    name: 'db',
    description: 'The database itself: whether it is sound, how large it is',
    load: async () => (await import('./db/commands.ts')).dbCommands(),
  },
  {
    name: 'audit',
    description: 'Who changed what, and when',
    load: async () => [(await import('./audit/list.ts')).auditListCommand()],
  },
];

/** Commands of one name; loaded when they are called. */
const SINGLE = [
  {
    name: 'status',
    description: 'What is wrong, since when, who is affected, and the next command',
    load: async () => (await import('./status/status.ts')).statusCommand(),
  },
  {
    name: 'doctor',
    description: 'Look at everything the service needs, with a remedy for what is missing',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand(),
  },
  {
    name: 'config',
    description: 'The settings as they take effect, secrets masked, and where each comes from',
    load: async () => (await import('./config.ts')).configCommand(),
  },
  {
    name: 'backup',
    description: 'Copy the database and the image files, also while the service is running, and verify the copy',
    load: async () => (await import('./backup/backup.ts')).backupCommand(),
  },
  {
    name: 'restore',
    description: 'Bring a backup back; tells first what it would do',
    load: async () => (await import('./backup/restore.ts')).restoreCommand(),
  },
  {
    name: 'purge',
    description: 'Remove what has been kept long enough now, as the service does by itself',
    load: async () => (await import('./purge.ts')).purgeCommand(),
  },
  {
    name: 'migrate',
    description: 'Bring the schema of the database up to date, as the start of the service does',
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  {
    name: 'export',
    description:
      'Write everything that is stored into a folder in the portable format, also while the service is running',
    load: async () => (await import('./export.ts')).exportCommand(),
  },
  {
    name: 'import',
    description: 'Bring in a folder in the portable format: JSON lines or CSV, and image files',
    load: async () => (await import('./import.ts')).importCommand(),
  },
  {
    name: 'copy',
    description: 'Copy everything from one database into another: between SQLite and PostgreSQL',
    load: async () => (await import('./copy.ts')).copyCommand(),
  },
  {
    name: 'completion',
    description: 'Print a script by which a shell completes commands and options',
    load: async () => (await import('./completion.ts')).completionCommand(createProgram),
  },
  {
    name: 'man',
    description: 'Print the manual page',
    load: async () => (await import('./man.ts')).manCommand(createProgram),
  },
  {
    name: 'demo',
    description: 'Serve a made-up classifieds site from a throw-away database, to look around in the console',
    load: async () => (await import('./demo/demo.ts')).demoCommand(),
  },
  {
    name: 'compare',
    description: "What old clients would notice: the old service's WSDL beside this service's",
    load: async () => (await import('./compare.ts')).compareCommand(),
  },
  {
    name: 'record',
    description: 'Record the traffic of an old server, without its credentials',
    load: async () => (await import('./traffic.ts')).recordCommand(),
  },
  {
    name: 'replay',
    description: 'Ask what was recorded again, and compare the answers',
    load: async () => (await import('./traffic.ts')).replayCommand(),
  },
];

/**
 * The commands of `ws01`.
 * @param args what stands after `ws01`; commands that it does not name are there with their descriptions alone. Without
 *   it, everything.
 */
export async function createProgram(args?: readonly string[]): Promise<Command> {
  const program = new Command('ws01')
    .description('The WS01 content and messaging service, and its administration')
    .version(version)
    .option('--utc', 'show times in UTC instead of the zone of the machine')
    .option('--env-file <file>', 'a file of NAME=value lines: settings that the environment does not have')
    .hook('preAction', (command) => {
      const { envFile, utc } = command.opts<{ envFile?: string; utc?: true }>();
      if (utc) showUtc();
      if (envFile !== undefined) addEnvironmentFile(envFile);
    })
    .addCommand(serveCommand());
  const named = (name: string) => args === undefined || args.includes(name);
  for (const { name, description, load } of GROUPS) {
    const group = new Command(name).description(description);
    if (named(name)) for (const command of await load()) group.addCommand(command);
    program.addCommand(group);
  }
  for (const { name, description, load } of SINGLE) {
    const command = named(name) ? await load() : new Command(name);
    program.addCommand(command.description(description));
  }
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
