import { readFileSync } from 'node:fs';

/** The last reason in the error text of a recorded ASP.NET answer: what stands after the last ` ---> `. */
export function recordedReason(name: string): string {
  const recorded = readFileSync(new URL(`../golden/${name}.res`, import.meta.url), 'utf8');
  const reason = recorded.split(' ---> ').at(-1)!.trim();
  if (reason === recorded.trim()) throw new Error(`${name}.res holds no reason.`);
  return reason;
}
