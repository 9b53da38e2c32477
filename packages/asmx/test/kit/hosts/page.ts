/** The page of the hosts: its programs, and the table of what each host can. */
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../../../site/hosts.md', import.meta.url), 'utf8');

/** The program of a host, as it stands there, by its heading. */
export function programOf(host: string): string {
  const section = page.slice(page.indexOf(`\n## ${host}\n`));
  return /```ts\n([\s\S]*?)```/.exec(section)![1]!;
}

/** What the table says of a host, by column. */
export function rowOf(host: string): Readonly<Record<string, string>> {
  const rows = [...page.matchAll(/^\|(.*)\|$/gm)].map(([, row]) =>
    row!.split('|').map((cell) => cell.trim()),
  );
  const [columns = []] = rows;
  const cells = rows.find(([name]) => name!.startsWith(`[${host}]`))!;
  return Object.fromEntries(columns.slice(1).map((column, at) => [column, cells[at + 1]!]));
}

/** The hosts that the table names. */
export function hostsOfTable(): readonly string[] {
  return [...page.matchAll(/^\| \[(.*?)\]/gm)].map(([, host]) => host!);
}
