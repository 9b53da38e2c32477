import { DAY_MS } from '@ws01/asmx/time';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Scope } from '../../contract/parameters.ts';
import { editToken, rotateToken } from '../../domain/credentials/token-changes.ts';
import { TOKENS } from '../../records/tokens.ts';
import { answering, checkedUse } from '../io/answering.ts';
import { readItem } from '../io/list.ts';
import { readSpan } from '../io/options.ts';
import { jsonInstant, shownInstant } from '../io/output.ts';
import { readExpiry, readScopeList } from './terms.ts';

export function tokenRotateCommand(): Command {
  const command = new Command('rotate')
    .description('Create a replacement for a token; the old one stays valid for a while')
    .argument('<id>', 'its id, see ws01 token list')
    .addOption(
      new Option('--overlap <span>', 'how long the old token stays valid: 24h, 7d; 0h ends it now')
        .argParser(readOverlap)
        .default(DAY_MS, '24h'),
    );
  return answering(
    command,
    `The new one has the kind, scopes, user and label of the old one and, where that expires, as long to live as it had. Give
it to the application within the overlap. The text alone goes to standard output.

Examples:
  TOKEN=$(ws01 token rotate 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a --overlap 24h)`,
    async ({ store }, replaces: string, { overlap }: { overlap: number }) => {
      const {
        id,
        text: token,
        oldUntil,
      } = await store.write((tx) => rotateToken(tx, replaces, overlap, Date.now(), undefined));
      const until = shownInstant(oldUntil);
      const keep = `Keep it: it is shown only now. Its id is ${id}; ${replaces} stays valid until ${until}.`;
      return {
        json: { id, token, replaces, oldUntil: jsonInstant(oldUntil) },
        text: `${token}\n`,
        remarks: [keep],
      };
    },
  );
}

interface EditOptions {
  readonly scopes?: readonly Scope[];
  readonly label?: string;
  readonly expires?: string;
}

export function tokenEditCommand(): Command {
  const command = new Command('edit')
    .description('Change scopes, expiry or label of a token')
    .argument('<id>', 'its id, see ws01 token list')
    .option('--scopes <scopes>', 'the new scopes, separated by commas', readScopeList)
    .option('--expires <when>', '90d, 12h, a date, or never')
    .option('--label <text>', 'a name for people');
  return answering(
    checkedUse<EditOptions>(
      command,
      'Give what to change: --scopes, --expires or --label.',
      ({ scopes, label, expires }) => (scopes ?? label ?? expires) !== undefined,
    ),
    `Services that are running follow within 5 seconds. Kind and user stay: make another token for those.

Examples:
  ws01 token edit 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a --scopes articles,images --expires 90d`,
    async ({ store, config }, id: string, { scopes, label, expires }: EditOptions) => {
      const never = expires?.trim().toLowerCase() === 'never';
      const expiresAt = never ? null : readExpiry(expires, config.timeZone, Date.now());
      const edit = { scopes, label: label?.trim(), expiresAt };
      await store.write((tx) => editToken(tx, id, edit, Date.now(), undefined));
      return { json: await readItem(store, config, TOKENS, id), text: `Changed ${id}.\n` };
    },
  );
}

function readOverlap(text: string): number {
  const span = readSpan(text);
  if (span === undefined) throw new InvalidArgumentError('Give hours or days, such as 24h or 7d.');
  return span;
}
