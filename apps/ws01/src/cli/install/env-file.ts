import type { Setting } from '../../config/setting.ts';
import { AREAS, USUAL } from '../../config/settings.ts';

const HEAD = `# Settings of WS01, NAME=value; all of them: docs/configuration.md.
# After a change: systemctl reload ws01, and the log names those that need a restart.
# Where one needs more of the unit, a folder elsewhere or a port below 1024: ws01 install --yes.
`;

/**
 * The settings file with the values that are set. A new file has the settings that anybody sets,
 * each with its purpose; a setting without a value is a comment.
 * @param present its text; `undefined` where there is none.
 * @param values by variable.
 */
export function envFile(present: string | undefined, values: ReadonlyMap<string, string>): string {
  const lines = (present ?? freshFile()).trimEnd().split('\n');
  for (const [name, value] of values) {
    const line = `${name}=${quoted(value)}`;
    const [own, offered] = [`${name}=`, `#${name}=`].map((start) =>
      lines.findIndex((one) => one.replace('# ', '#').startsWith(start)),
    );
    const place = own! < 0 ? offered! : own!;
    if (place < 0) lines.push(line);
    else lines[place] = line;
  }
  return `${lines.join('\n')}\n`;
}

function freshFile(): string {
  const all = AREAS.flatMap(({ settings }) => Object.values(settings as Record<string, Setting>));
  const usual = USUAL.map((name) => all.find(({ variable }) => variable === name)!);
  const paragraphs = usual.map(
    ({ variable, fallback, documentation }) =>
      `# ${plain(documentation)}\n#${variable}=${UNDER_THE_UNIT.get(variable) ?? fallback ?? ''}\n`,
  );
  return [HEAD, ...paragraphs].join('\n');
}

/** Defaults that the unit has instead. */
const UNDER_THE_UNIT = new Map([['DATA_DIR', '/var/lib/ws01']]);

/** Without what Markdown adds. */
function plain(documentation: string): string {
  return documentation.replace(/\[([^\][]*)\]\([^()]*\)/g, '$1').replaceAll('`', '');
}

/** As Node reads a value of such a file. */
function quoted(value: string): string {
  if (/^[^\s#'"`]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one)) ?? "'";
  return `${quote}${value}${quote}`;
}
