import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { domainToASCII, fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { SETTINGS } from '../../config/settings.ts';
import { CommandFailure, UsageFailure } from '../failure.ts';
import { gather } from '../io/options.ts';
import { print, printJson, remark } from '../io/output.ts';
import { type InstallRequest, planInstall, planUninstall } from './plan.ts';
import { describeStep, Machine } from './steps.ts';

interface Options {
  readonly set?: readonly string[];
  readonly proxy?: InstallRequest['proxy'];
  readonly certbot?: string;
  readonly admin: string;
  readonly root: string;
  readonly replace?: true;
  readonly uninstall?: true;
  readonly json?: true;
  readonly yes?: true;
}

export function installCommand(): Command {
  return new Command('install')
    .argument('[names...]', 'the public names of the service, such as api.example.com')
    .option('--set <NAME=value>', 'a setting; may be repeated', gather)
    .addOption(
      new Option(
        '--proxy <proxy>',
        'the web server in front; default: the one that is installed',
      ).choices(['nginx', 'caddy', 'none']),
    )
    .option('--certbot <email>', 'get a certificate for nginx by certbot; Caddy gets its own')
    .option('--admin <name>', 'the first admin of the console', nameOfAdmin, 'owner')
    .option('--replace', 'also replace files that were edited; the old ones stay beside them')
    .option('--uninstall', 'take away what was installed; data, settings and backups stay')
    .option('--root <folder>', 'write below this folder; run no program, set no owner', '/')
    .option('--json', 'print one JSON object')
    .option('--yes', 'do it; without it, only show what would be done')
    .addHelpText(
      'after',
      `
Run it as root, from the folder of a release. It makes the user ws01, /etc/ws01/ws01.env with the settings that
anybody sets, the unit of systemd with what the settings need of it, the command ws01, and the site of nginx or Caddy.
Then it starts the service, makes a backup and restores it to a temporary place, and prints a link for the first admin.
Run it again after a change of the settings, or from the folder of a new release: it does only what is not done. It
leaves alone what you edited.

Examples:
  ws01 install api.example.com                     (bin/ws01.js, where it is not installed yet)
  ws01 install api.example.com --certbot you@example.com --yes
  ws01 install --set BACKUP_TO=/mnt/backup --yes
  ws01 install --uninstall --yes`,
    )
    .action(run);
}

async function run(names: readonly string[], options: Options): Promise<void> {
  // Others read what is written: systemd, the proxy, the service's user. Files with secrets have a
  // mode of their own.
  process.umask(0o022);
  const machine = new Machine(resolve(options.root), options.replace === true);
  const steps = options.uninstall
    ? planUninstall(machine)
    : planInstall(wantedOf(names, options, machine), machine, home());
  const shown = steps.map((step) => ({
    effect: machine.effectOf(step),
    what: describeStep(step),
  }));
  if (options.json) await printJson({ done: options.yes === true, steps: shown });
  else await print(shown.map(({ effect, what }) => `${effect.padEnd(7)} ${what}\n`).join(''));
  const kept = shown.flatMap(({ effect, what }) => (effect === 'kept' ? what : []));
  if (kept.length > 0)
    remark(`Somebody edited ${kept.join(', ')}: left alone. To replace it, add --replace.`);
  if (!options.yes) {
    remark('Nothing was done. To do it, add --yes.');
    return;
  }
  if (machine.isReal && process.getuid?.() !== 0)
    throw new CommandFailure('Run this as root; or with --root, to look at what it writes.');
  for (const step of steps) machine.carryOut(step);
  if (options.uninstall)
    remark('Left as they are: /etc/ws01/ws01.env, the data, the backups and the user ws01.');
}

/** Where Debian puts the proxies. */
const PROXIES = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' };

function wantedOf(names: readonly string[], options: Options, machine: Machine): InstallRequest {
  const found = (['nginx', 'caddy'] as const).find((name) => machine.has(PROXIES[name]));
  const proxy = options.proxy ?? (names.length === 0 ? 'none' : found);
  if (proxy === undefined) {
    throw new CommandFailure(
      'Neither nginx nor Caddy is installed: apt-get install nginx certbot, or caddy; or say --proxy none.',
    );
  }
  if (proxy !== 'none' && names.length === 0)
    throw new UsageFailure(`Give the names that ${proxy} serves, such as api.example.com.`);
  return {
    names: names.map(publicName),
    set: new Map((options.set ?? []).map(settingOf)),
    proxy,
    certbot: options.certbot,
    admin: options.admin,
  };
}

function publicName(name: string): string {
  const ascii = domainToASCII(name);
  if (/^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9-]+$/.test(ascii))
    return ascii;
  throw new UsageFailure(`${name} is not the name of a server, such as api.example.com.`);
}

/**
 * Names of the environment that a settings file may have besides the settings: secrets in files,
 * and those of S3.
 */
const OTHER = /^(?:[A-Z0-9_]+_FILE|AWS_[A-Z0-9_]+|OTEL_[A-Z0-9_]+|NODE_[A-Z0-9_]+)$/;

function settingOf(text: string): readonly [string, string] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=([^\n\r]*)$/.exec(text) ?? [];
  const known = Object.values(SETTINGS).some(({ variable }) => variable === name);
  if (name === undefined || value === undefined || !(known || OTHER.test(name)))
    throw new UsageFailure(
      `--set ${text.split('=', 1)[0]}: there is no such setting; write NAME=value.`,
    );
  return [name, value];
}

function nameOfAdmin(name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@-]*$/u.test(name)) return name;
  throw new InvalidArgumentError('Give a name of letters and digits.');
}

/** @throws {CommandFailure} when the program is a package without its files of deployment. */
function home(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, 'deploy/systemd/ws01.service'))) return realpathSync(at);
    if (at === dirname(at))
      throw new CommandFailure(
        'This package has no files of deployment. Install from the tarball of a release, see docs/production.md.',
      );
  }
}
