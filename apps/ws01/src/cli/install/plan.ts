import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { loadConfig } from '../../config/config.ts';
import { CommandFailure } from '../failure.ts';
import { envFile } from './env-file.ts';
import { caddySite, nginxSite } from './proxy-files.ts';
import type { Machine, Step } from './steps.ts';
import { unitNeeds } from './unit-needs.ts';

/** What the operator asks for. */
export interface InstallRequest {
  /** Public names of the service, in ASCII; may be empty. */
  readonly names: readonly string[];
  /** Settings by variable. */
  readonly set: ReadonlyMap<string, string>;
  readonly proxy: 'nginx' | 'caddy' | 'none';
  /** Address for certbot's account; `undefined`: the certificate is there, or is Caddy's. */
  readonly certbot: string | undefined;
  /** Name of the first admin. */
  readonly admin: string;
}

const ENV_FILE = '/etc/ws01/ws01.env';
const UNIT = '/etc/systemd/system/ws01.service';
const DROP_IN = '/etc/systemd/system/ws01.service.d/10-settings.conf';
const WRAPPER = '/usr/local/bin/ws01';
const HOME = '/opt/ws01';
const NGINX = '/etc/nginx/conf.d/ws01.conf';
const CADDY = '/etc/caddy/ws01.caddyfile';
const CADDYFILE = '/etc/caddy/Caddyfile';

const runs = (command: string, more: { readonly mayFail?: true } = {}): Step => ({
  kind: 'run',
  argv: command.split(' '),
  ...more,
});

/**
 * The steps from what a machine has to what is wanted; those that are done already are among them.
 * @param home the folder of the release, with `deploy/`.
 * @throws {CommandFailure} when it cannot be done.
 * @throws {ConfigError} when a setting is wrong.
 */
export function planInstall(
  wanted: InstallRequest,
  machine: Machine,
  home: string,
): readonly Step[] {
  const deploy = (file: string) => readFileSync(join(home, 'deploy', file), 'utf8');
  const text = envFile(machine.read(ENV_FILE), settingsOf(wanted, machine));
  const settings = parseEnv(text);
  // Says what is wrong before anything is written.
  loadConfig({ DATA_DIR: '/var/lib/ws01', ...settings });
  const { dropIn, folders, wrong } = unitNeeds(settings);
  if (wrong.length > 0) throw new CommandFailure(wrong.join('\n'), { exitCode: 78 });
  const steps: Step[] = [
    ...user(machine),
    ...linkTo(home, machine),
    { kind: 'folder', path: '/etc/ws01', owner: 'root' },
    ...folders.map((path): Step => ({ kind: 'folder', path, owner: 'ws01' })),
    { kind: 'file', path: ENV_FILE, text, mode: 0o640, group: 'ws01', isMerged: true },
    { kind: 'file', path: WRAPPER, text: deploy('systemd/ws01'), mode: 0o755 },
    { kind: 'file', path: UNIT, text: deploy('systemd/ws01.service'), mode: 0o644 },
    dropIn === undefined
      ? { kind: 'remove', path: DROP_IN }
      : { kind: 'file', path: DROP_IN, text: dropIn, mode: 0o644 },
  ];
  const changed = steps.some((step) => isChange(step, machine));
  if (changed) steps.push(runs('systemctl daemon-reload'));
  steps.push(
    runs('systemctl enable ws01'),
    runs(`systemctl ${changed ? 'restart' : 'start'} ws01`),
  );
  steps.push(...proxySteps(wanted, machine, settings, deploy));
  // Made and restored to a temporary place: the first one of all, so that the next ones are
  // believed.
  if (settings.BACKUP_TO) steps.push(runs(`${WRAPPER} backup`));
  steps.push({
    kind: 'run',
    argv: [WRAPPER, 'admin', 'add', wanted.admin, '--role', 'owner'],
    unless: [WRAPPER, 'admin', 'list'],
  });
  return steps;
}

/**
 * The steps that take away what {@link planInstall} wrote; data, settings, backups and the user
 * stay.
 */
export function planUninstall(machine: Machine): readonly Step[] {
  const { written } = machine;
  const caddyfile = machine.read(CADDYFILE);
  return [
    runs('systemctl disable --now ws01', { mayFail: true }),
    ...written.map((path): Step => ({ kind: 'remove', path })),
    ...(machine.isLink(HOME) ? [{ kind: 'remove', path: HOME } as const] : []),
    ...(caddyfile?.includes(IMPORT) ? [caddyfileStep(caddyfile.replace(`${IMPORT}\n`, ''))] : []),
    runs('systemctl daemon-reload', { mayFail: true }),
    ...(written.includes(NGINX) ? [runs('systemctl reload nginx', { mayFail: true })] : []),
    ...(written.includes(CADDY) ? [runs('systemctl reload caddy', { mayFail: true })] : []),
  ];
}

/** Whether a step would write anything. */
function isChange(step: Step, machine: Machine): boolean {
  return step.kind !== 'run' && !['same', 'kept'].includes(machine.effectOf(step));
}

/** Those of the operator, and on a fresh machine what follows from the names. */
function settingsOf(
  { names, set, proxy }: InstallRequest,
  machine: Machine,
): ReadonlyMap<string, string> {
  if (machine.has(ENV_FILE)) return set;
  const [name] = names;
  return new Map([
    ...(name === undefined ? [] : [['BASE_URL', `https://${name}`] as const]),
    ...(proxy === 'none' ? [] : [['TRUSTED_PROXIES', 'loopback'] as const]),
    ['BACKUP_TO', '/backup'],
    ...set,
  ]);
}

function user(machine: Machine): readonly Step[] {
  if (/^ws01:/m.test(machine.read('/etc/passwd') ?? '')) return [];
  return [runs('useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin ws01')];
}

function linkTo(home: string, machine: Machine): readonly Step[] {
  if (home === HOME) return [];
  const hidden = ['/home/', '/root/', '/tmp/', '/var/tmp/'].find((one) => home.startsWith(one));
  if (hidden !== undefined && machine.isReal) {
    throw new CommandFailure(
      `The service cannot read ${home}: its unit keeps ${hidden} from it. ` +
        'Unpack the release below /opt, and run this there.',
    );
  }
  const step: Step = { kind: 'link', path: HOME, to: home };
  if (machine.effectOf(step) === 'kept') {
    throw new CommandFailure(
      `${HOME} is a folder, not a link. Move it aside once: mv ${HOME} ${HOME}.old; then run this again.`,
    );
  }
  return [step];
}

function proxySteps(
  { names, proxy, certbot }: InstallRequest,
  machine: Machine,
  settings: Readonly<Record<string, string | undefined>>,
  deploy: (file: string) => string,
): readonly Step[] {
  if (proxy === 'none') return [];
  const at = settings.SOCKET_PATH || `127.0.0.1:${settings.PORT || 8080}`;
  // The socket is of the group ws01.
  const group = at.startsWith('/')
    ? [runs(`usermod --append --groups ws01 ${proxy === 'caddy' ? 'caddy' : 'www-data'}`)]
    : [];
  if (proxy === 'caddy') {
    const caddyfile = machine.read(CADDYFILE) ?? '';
    const site = caddySite(deploy('caddy/Caddyfile'), { names, at });
    return [
      ...group,
      { kind: 'file', path: CADDY, text: site, mode: 0o644 },
      ...(caddyfile.includes(IMPORT) ? [] : [caddyfileStep(`${IMPORT}\n${caddyfile}`)]),
      runs(`caddy validate --config ${CADDYFILE}`),
      runs('systemctl reload caddy'),
    ];
  }
  const folder = `/etc/letsencrypt/live/${names[0]}`;
  const template = deploy('nginx/ws01.conf');
  const site = (certificate: string | undefined): Step[] => [
    {
      kind: 'file',
      path: NGINX,
      text: nginxSite(template, { names, at }, certificate),
      mode: 0o644,
    },
    runs('nginx -t'),
    runs('systemctl reload nginx'),
  ];
  if (machine.has(`${folder}/fullchain.pem`)) return [...group, ...site(folder)];
  if (certbot === undefined) {
    throw new CommandFailure(
      `There is no certificate in ${folder}. Add --certbot you@example.com to get one there, ` +
        'or put fullchain.pem and privkey.pem into it.',
    );
  }
  const domains = names.flatMap((name) => ['-d', name]);
  const certify = 'certbot certonly --webroot -w /var/www/html --agree-tos -n -m'.split(' ');
  const renewed = ['--deploy-hook', 'systemctl reload nginx'];
  return [
    ...group,
    ...site(undefined),
    { kind: 'run', argv: [...certify, certbot, ...domains, ...renewed] },
    ...site(folder),
  ];
}

/** Only what the Caddyfile needs to find our file; all else in it is the operator's. */
const IMPORT = 'import ws01.caddyfile';

function caddyfileStep(text: string): Step {
  return { kind: 'file', path: CADDYFILE, text, mode: 0o644, isMerged: true };
}
