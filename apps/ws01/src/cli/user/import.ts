import { Command } from 'commander';
import { type Registration, readRegistration, registerUsers } from '../../domain/users/users.ts';
import { CommandFailure } from '../failure.ts';
import { withJson } from '../io/options.ts';
import { counted, print, printJson } from '../io/output.ts';
import { createProgress } from '../io/progress.ts';
import { LineProblems, nameOf, readRecords, readText } from '../io/records.ts';
import { withStore } from '../io/session.ts';

const FIELDS = ['id', 'name', 'email'] as const;

/** Imports of at least this many users show progress. */
const SHOW_PROGRESS_FROM = 5_000;

export function userImportCommand(): Command {
  return withJson(
    new Command('import')
      .description('Register many users')
      .argument('<file>', 'CSV with a heading line, or JSON lines; - is standard input'),
    `The columns or keys are id, name and email. An existing user becomes registered; an absent column keeps the stored value, an empty cell clears it. If a row is wrong, nothing is imported.

Examples:
  ws01 user import users.csv
  ws01 user import - < users.jsonl

users.csv:
  id,name,email
  ada,"Lovelace, Ada",ada@example.com

users.jsonl:
  {"id":"ada","name":"Ada Lovelace","email":"ada@example.com"}`,
  ).action(async (path: string, { json }: { json?: true }) => {
    const registrations = await readRegistrations(path);
    const progress = createProgress();
    const total = registrations.length;
    const onProgress = (written: number) => {
      if (total >= SHOW_PROGRESS_FROM) progress.tell(written, total, 'users');
    };
    await withStore((store) => registerUsers(store, registrations, Date.now, onProgress), {
      mayCreate: true,
    }).finally(progress.end);
    const count = registrations.length;
    await (json
      ? printJson({ registered: count })
      : print(`${counted(count, 'user')} registered.\n`));
  });
}

async function readRegistrations(path: string): Promise<Registration[]> {
  const source = nameOf(path);
  const records = readRecords(await readText(path), source, FIELDS);
  const problems = new LineProblems(source);
  const lines = new Map<string, number>();
  const registrations: Registration[] = [];
  for (const { line, fields } of records) {
    problems.collect(line, () => {
      const registration = readRegistration({ ...fields, id: fields.id });
      const earlier = lines.get(registration.id);
      if (earlier !== undefined) {
        throw new CommandFailure(`The id ${registration.id} is on line ${earlier} already.`);
      }
      lines.set(registration.id, line);
      registrations.push(registration);
    });
  }
  problems.throwAny(records.length);
  if (registrations.length === 0) {
    throw new CommandFailure(`${source} holds no user; nothing was imported.`);
  }
  return registrations;
}
