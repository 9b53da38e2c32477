import { LOAD_LIMIT_NAMES, type LoadLimits, loadLimits } from '../load/limits.ts';
import type { LoadOptions } from '../load/load.ts';
import { UsageError } from './command.ts';
import { networksOf, texts } from './record-command.ts';

/** Options of commands that read a WSDL. */
export const LOAD_OPTIONS = {
  network: { type: 'string', multiple: true },
  limit: { type: 'string', multiple: true },
} as const;

const DEFAULTS = LOAD_LIMIT_NAMES.map((name) => `${name}=${loadLimits()[name]}`).join(' ');

/** What help says of them. */
export const LOAD_OPTION_TEXTS = {
  network: 'a private network that documents may be in which a WSDL at a URL imports; repeatable',
  limit: `change a limit on what a WSDL with its imports may take; repeatable. The defaults: ${DEFAULTS}`,
} as const;

/** What their help says of the limits. */
export const LIMIT_HELP = `--limit <name=n>  ${LOAD_OPTION_TEXTS.limit.replace('defaults: ', `defaults:\n${' '.repeat(20)}`)}`;

/** What a person said of networks and limits, each a list of texts. @throws {UsageError} */
export function loadOptionsOf({ network, limit }: Readonly<Record<string, unknown>>): LoadOptions {
  networksOf(network);
  const limits = Object.fromEntries(
    texts(limit).map((text) => {
      const [name = '', value = ''] = text.split('=', 2);
      return [name, /^\d+$/.test(value) ? Number(value) : Number.NaN];
    }),
  ) as Partial<LoadLimits>;
  try {
    loadLimits(limits);
  } catch (error) {
    throw new UsageError(`--limit: ${(error as Error).message.replace(/\.$/, '')}`);
  }
  return { limits, networks: texts(network) };
}
