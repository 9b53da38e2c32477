import { Command } from 'commander';
import { openFiles } from '../../adapters/files/open.ts';
import { operatorName } from '../../adapters/operator.ts';
import { dateOf } from '../../contract/lexical.ts';
import { auditAct } from '../../domain/audit/audit.ts';
import {
  countHoldings,
  erasePerson,
  type HeldRows,
  nothingHeld,
} from '../../domain/persons/erase.ts';
import { exportPerson } from '../../domain/persons/export.ts';
import {
  assertNotHeld,
  endLegalHold,
  findLegalHold,
  setLegalHold,
} from '../../domain/persons/legal-holds.ts';
import { requiredKey } from '../../domain/values/keys.ts';
import { lastArgument } from '../../failure/shell-word.ts';
import type { Store } from '../../store/store.ts';
import type { LegalHoldsTable } from '../../store/tables/tables.ts';
import { CommandFailure } from '../failure.ts';
import { answering } from '../io/answering.ts';
import { readSpan } from '../io/options.ts';
import { counted, jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { harmless, table } from '../io/table.ts';
import { exportPictures } from './pictures.ts';

const ID = ['<id>', 'the id of the user in calls'] as const;
const keyOf = (id: string) => requiredKey(id, 'id');

export function userShowCommand(): Command {
  return answering(
    new Command('show')
      .description(
        'Show what is stored about a person: how much, where, and whether there is a legal hold',
      )
      .argument(...ID),
    'Examples:\n  ws01 user show ada',
    async ({ store }, given: string) => {
      const id = keyOf(given);
      const held = await holdingsOf(store, id);
      const hold = await store.read((db) => findLegalHold(db, id, Date.now()));
      return {
        json: { id, stored: held, hold: hold === undefined ? null : jsonOf(hold) },
        text: table(['WHAT', 'ROWS', 'AN ERASURE'], held.map(rowOf)),
        remarks: [hold === undefined ? 'No legal hold.' : sentenceOf(hold)],
      };
    },
  );
}

export function userExportCommand(): Command {
  return new Command('export')
    .description('Export everything stored about a person as JSON, to hand over to them')
    .argument(...ID)
    .option(
      '--to <folder>',
      'a new folder for person.json and the pictures; without it, only the JSON is printed',
    )
    .option('--json', 'with --to: print one JSON object about what was written')
    .addHelpText(
      'after',
      '\nExamples:\n  ws01 user export ada > ada.json\n  ws01 user export ada --to ada',
    )
    .action((given: string, { to, json }: { to?: string; json?: true }) =>
      withStore(async (store, config) => {
        const id = keyOf(given);
        await holdingsOf(store, id);
        const at = Date.now();
        await store.write((tx) => auditAct(tx, 'user.export', id, at, undefined));
        const pieces = exportPerson(store, id, at);
        if (to === undefined) {
          for await (const piece of pieces) await print(piece);
          return;
        }
        const pictures = await exportPictures(
          store,
          await openFiles(config.files, config.dataDir),
          id,
          pieces,
          to,
        );
        if (json) return printJson({ id, to, pictures });
        remark(`Wrote ${to}/person.json and ${counted(pictures, 'picture')}.`);
      }),
    );
}

export function userEraseCommand(): Command {
  return answering(
    new Command('erase')
      .description('Erase everything stored about a person, permanently')
      .argument(...ID)
      .option('--yes', 'erase; without it, only show what would be erased'),
    `Erases articles, adverts, pictures, reviews, mails to and from the person, numbers, codes, links, visits and tokens. The audit trail keeps its entries, without the person's name. Existing backups are not changed. A person under a legal hold cannot be erased. If the command is interrupted, run it again to finish.

Examples:
  ws01 user erase ada
  ws01 user erase ada --yes`,
    async ({ store, config }, given: string, { yes, json }: { yes?: true; json?: true }) => {
      const id = keyOf(given);
      const held = await holdingsOf(store, id);
      await store.read((db) => assertNotHeld(db, id, Date.now()));
      if (!yes) {
        return {
          json: { id, erased: false, stored: held },
          text: table(['WHAT', 'ROWS', 'WOULD BE'], held.map(rowOf)),
          remarks: [
            `Nothing was done. To erase it permanently: ws01 user erase --yes ${lastArgument(given)}`,
          ],
        };
      }
      const files = await openFiles(config.files, config.dataDir);
      const onProgress = ({ table: name, rows }: HeldRows) => {
        if (!json && process.stderr.isTTY) process.stderr.write(`${name}: ${rows}\n`);
      };
      const deps = { store, files, clock: Date.now, onProgress };
      const erased = await erasePerson(deps, id, undefined);
      files.store.close();
      return {
        json: { id, erased: true, stored: erased },
        text: table(['WHAT', 'ROWS', 'WAS'], erased.map(rowOf)),
      };
    },
  );
}

export function userHoldCommand(): Command {
  return answering(
    new Command('hold')
      .description(
        'Place a legal hold: nothing stored about the person can be erased until it ends',
      )
      .argument(...ID)
      .requiredOption(
        '--reason <text>',
        'the reason, shown to anybody who tries to erase the person',
      )
      .option(
        '--until <when>',
        'when it ends: 30d from now, or a date; without it, it lasts until ws01 user release',
      ),
    'Examples:\n  ws01 user hold ada --reason "Case 12 C 34/26" --until 2027-06-30',
    async (
      { store, config: { timeZone } },
      given: string,
      { reason, until }: { reason: string; until?: string },
    ) => {
      const [id, at] = [keyOf(given), Date.now()];
      const span = readSpan(until);
      const end =
        span === undefined ? dateOf(until, 'until', { timeZone, now: () => at }) : at + span;
      const name = operatorName();
      await store.write((tx) =>
        setLegalHold(tx, { id, at, by: undefined, name, reason, until: end }),
      );
      const hold = (await store.read((db) => findLegalHold(db, id, at)))!;
      return { json: { id, hold: jsonOf(hold) }, text: `${sentenceOf(hold)}\n` };
    },
  );
}

export function userReleaseCommand(): Command {
  return answering(
    new Command('release').description('End a legal hold').argument(...ID),
    'Examples:\n  ws01 user release ada',
    async ({ store }, given: string) => {
      const id = keyOf(given);
      const change = { id, by: undefined, at: Date.now() };
      if (!(await store.write((tx) => endLegalHold(tx, change))))
        throw new CommandFailure(`There is no legal hold on ${id}.`);
      return { json: { id, released: true }, text: `Ended the legal hold on ${id}.\n` };
    },
  );
}

async function holdingsOf(store: Store, id: string): Promise<readonly HeldRows[]> {
  const held = await countHoldings(store, id);
  if (held.length === 0) throw nothingHeld(id);
  return held;
}

const rowOf = ({ table: name, rows, fate }: HeldRows) => [name, String(rows), fate];

function sentenceOf({ set_by, set_at, reason, until }: LegalHoldsTable): string {
  const end = until === null ? 'until it is released' : `until ${shownInstant(until)}`;
  return `A legal hold by ${set_by} since ${shownInstant(set_at)}, ${end}: ${harmless(reason)}`;
}

function jsonOf({ set_by, set_at, reason, until }: LegalHoldsTable) {
  return {
    by: set_by,
    at: jsonInstant(set_at),
    reason,
    until: until === null ? null : jsonInstant(until),
  };
}
