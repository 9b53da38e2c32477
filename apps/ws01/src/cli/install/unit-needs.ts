import { dirname, isAbsolute } from 'node:path';

/** What the settings ask of the unit beyond what it has. */
interface UnitNeeds {
  /** The text of the drop-in; `undefined` where the unit does as it is. */
  readonly dropIn: string | undefined;
  /** Folders that must be there and be the service's. */
  readonly folders: readonly string[];
  /** Sentences on what no drop-in can mend. */
  readonly wrong: readonly string[];
}

/** What `deploy/systemd/ws01.service` lets the service write; a test holds it against the unit. */
export const WRITABLE = [
  '/var/lib/ws01',
  '/var/cache/ws01',
  '/run/ws01',
  '/var/log/ws01',
  '/backup',
  '/srv/ws01',
] as const;

/** Ports below this one are given to processes with a capability alone. */
const FIRST_FREE_PORT = 1024;

/**
 * The addresses at which clouds hand out the credentials of a role: link-local, which the unit
 * denies.
 */
const ROLE_SERVICES = '169.254.169.254 169.254.170.2 169.254.170.23 fd00:ec2::254 fd00:ec2::23';

/** @param settings the variables of the service's settings file. */
export function unitNeeds(settings: Readonly<Record<string, string | undefined>>): UnitNeeds {
  const lines: string[] = [];
  const of = (name: string) => settings[name]?.trim() || undefined;
  const dataDir = of('DATA_DIR');
  if (dataDir !== undefined && dataDir !== '/var/lib/ws01')
    lines.push(`Environment=${quoted(`DATA_DIR=${dataDir}`)}`);
  const own = [dataDir, folderOf(of('BACKUP_TO')), folderOf(of('FILES_URL'))];
  const folders = own.filter((folder) => folder !== undefined && folder !== '/var/lib/ws01');
  const socket = of('SOCKET_PATH');
  const written = [...folders, ...(socket === undefined ? [] : [dirname(socket)])] as string[];
  for (const folder of new Set(written.filter((one) => !isWritable(one))))
    lines.push(`ReadWritePaths=${quoted(folder)}`);
  const low = ['PORT', 'CONSOLE_PORT', 'METRICS_PORT'].some((name) => {
    const port = Number(of(name) ?? FIRST_FREE_PORT);
    return port > 0 && port < FIRST_FREE_PORT;
  });
  if (low && socket === undefined) {
    lines.push(
      '# A port below 1024. In a user namespace of its own the capability would be of that alone.',
    );
    lines.push('PrivateUsers=no', 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE');
    lines.push('AmbientCapabilities=CAP_NET_BIND_SERVICE');
  }
  const bucket = [of('BACKUP_TO'), of('FILES_URL')].some((place) => place?.startsWith('s3:'));
  if (bucket && of('AWS_ACCESS_KEY_ID') === undefined) {
    lines.push('# S3 without a key: the credentials of the machine’s role.');
    lines.push(`IPAddressAllow=${ROLE_SERVICES}`);
  }
  return {
    dropIn: lines.length === 0 ? undefined : `${HEAD}[Service]\n${lines.join('\n')}\n`,
    folders: [...new Set(folders as string[])],
    wrong: (written as string[]).flatMap(complaints),
  };
}

const HEAD = '# By ws01 install, from /etc/ws01/ws01.env: what its settings need of the unit.\n';

/** The path of a place that is a folder; `undefined` for a bucket. */
function folderOf(place: string | undefined): string | undefined {
  if (place === undefined || place.startsWith('s3:')) return undefined;
  return place.startsWith('file:') ? decodeURIComponent(new URL(place).pathname) : place;
}

function isWritable(folder: string): boolean {
  return WRITABLE.some((one) => folder === one || folder.startsWith(`${one}/`));
}

function complaints(folder: string): readonly string[] {
  if (!isAbsolute(folder)) return [`${folder}: name the whole path; the unit runs in /opt/ws01.`];
  const hidden = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'].find(
    (one) => folder === one || folder.startsWith(`${one}/`),
  );
  return hidden === undefined
    ? []
    : [`${folder}: the unit keeps ${hidden} from the service; take another folder.`];
}

/** As systemd reads a word: `%` begins a specifier. */
function quoted(word: string): string {
  const safe = word.replaceAll('%', '%%');
  return /^[\w/.:=@%+-]+$/.test(word) ? safe : `"${safe.replace(/["\\]/g, String.raw`\$&`)}"`;
}
