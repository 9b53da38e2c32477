/** The page of the hosts: its programs, and the table of what each host can. */
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../../../site/hosts.md', import.meta.url), 'utf8');

/** The program under a heading, as it stands there. */
export const programOf = (heading: string): string => codeUnder(heading)[0]!;

/** The program of Hono, below a path as the lines after it say. */
export function mountedHono(): string {
  const [program, lines] = codeUnder('Hono');
  return program!.replace(/^app\.use\([\s\S]*?^\}\);\n/m, () => lines!);
}

function codeUnder(heading: string): readonly string[] {
  const [section] = page.slice(page.search(new RegExp(`^##+ ${heading}$`, 'm')) + 3).split(/^## /m);
  return [...section!.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);
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
