import { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import {
  canonicalTokenText,
  hashToken,
  isShortToken,
  TokenTextError,
} from '../../domain/credentials/token-text.ts';
import { importTokens, type TokenImport } from '../../domain/credentials/tokens.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { print, printJson, remark } from '../io/output.ts';
import { LineProblems, nameOf, readRecords, readText } from '../io/records.ts';
import { readSecrets } from '../io/secrets.ts';
import { withStore } from '../io/session.ts';
import {
  addTermOptions,
  assertUserKnown,
  KINDS_HELP,
  readKind,
  readScopeList,
  readTerms,
  type TermOptions,
} from './terms.ts';

const FIELDS = ['token', 'sha256', 'kind', 'scopes', 'user', 'label', 'expires'] as const;

interface Options extends TermOptions {
  readonly from: string;
  readonly list?: string;
  readonly allowWeak?: true;
  readonly json?: true;
}

/** A record of the file and its line. */
interface Source {
  readonly line: number;
  /** The secret. */
  readonly text: string;
  /** Or its SHA-256. */
  readonly sha256?: string;
  readonly options: TermOptions;
}

export function tokenImportCommand(): Command {
  return addTermOptions(new Command('import'))
    .description('Import existing secrets as tokens, so that deployed applications keep working')
    .option(
      '--from <file>',
      'a file with one secret per line; - reads standard input or, at a terminal, prompts',
      '-',
    )
    .option(
      '--list <file>',
      `CSV with a heading line, or JSON lines: ${FIELDS.join(',')}; options fill in absent or empty cells`,
    )
    .option(
      '--allow-weak',
      'also accept secrets of 4 to 7 characters; an attacker who tries them from many networks finds one within days',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${KINDS_HELP}

A secret has 8 to 255 characters, with --allow-weak 4 to 255. Guessing is slowed down, but short secrets can still be guessed in time: give applications new ones of 16 characters or more as soon as you can. A secret is never an argument, since other users of the machine can read those. All of a
file is imported or nothing; importing again changes nothing. With a column sha256 in place of token no secret passes
through a file: it is printf %s "$secret" | sha256sum.

Examples:
  ws01 token import --label "old shop"            (asks for the secret)
  ws01 token import --scopes articles < secret.txt
  ws01 token import --list tokens.csv`,
    )
    .action(importAll);
}

function importAll(options: Options): Promise<void> {
  const run = async (store: Store, { timeZone }: Config) => {
    await assertUserKnown(store, options);
    const path = options.list ?? options.from;
    const sources =
      options.list === undefined
        ? await fromSecrets(options)
        : await fromList(options.list, options);
    if (sources.length === 0) {
      throw new CommandFailure(`${nameOf(path)} holds no token; nothing was imported.`);
    }
    const { allowWeak = false } = options;
    const imports = check(sources, path, timeZone, allowWeak);
    const { ids, added } = await importTokens(store, imports, Date.now, { allowWeak });
    warnOfShort(imports);
    if (options.json) {
      await printJson({ added, present: ids.length - added, ids });
    } else {
      await print(`${ids.map((id) => `${id}\n`).join('')}`);
      const present = ids.length - added;
      await print(`${added} imported${present > 0 ? `, ${present} there already` : ''}.\n`);
    }
  };
  return withStore(run, { mayCreate: true });
}

async function fromSecrets(options: Options): Promise<Source[]> {
  const secrets = await readSecrets(options.from, 'Secret (not shown)');
  return secrets.map((secret) => ({ ...secret, options }));
}

async function fromList(path: string, defaults: TermOptions): Promise<Source[]> {
  const problems = new LineProblems(nameOf(path));
  const records = readRecords(await readText(path), nameOf(path), FIELDS);
  const sources: Source[] = [];
  for (const { line, fields } of records) {
    problems.collect(line, () => {
      const given = Object.fromEntries(
        Object.entries(fields).filter(([, value]) => value !== ''),
      ) as typeof fields;
      const { token = '', sha256, kind, scopes, ...texts } = given;
      const terms = {
        kind: kind === undefined ? defaults.kind : readKind(kind),
        scopes: scopes === undefined ? defaults.scopes : readScopeList(scopes),
      };
      if (token !== '' && sha256 !== undefined)
        throw new CommandFailure('Give either token or sha256.');
      const secret = sha256 === undefined ? { text: token } : { text: '', sha256 };
      sources.push({ line, ...secret, options: { ...defaults, ...texts, ...terms } });
    });
  }
  problems.throwAny(records.length);
  return sources;
}

/** Checks all records before anything is written. */
function check(
  sources: readonly Source[],
  path: string,
  timeZone: string,
  allowWeak: boolean,
): TokenImport[] {
  const problems = new LineProblems(nameOf(path));
  const lines = new Map<string, number>();
  const now = Date.now();
  const imports: TokenImport[] = [];
  for (const { line, text, sha256, options } of sources) {
    problems.collect(line, () => {
      const secret =
        sha256 === undefined ? { text: tokenOf(text, allowWeak) } : { hash: hashOf(sha256) };
      const id =
        'text' in secret ? hashToken(secret.text).toString('hex') : secret.hash.toString('hex');
      const earlier = lines.get(id);
      if (earlier !== undefined) {
        throw new CommandFailure(`The token is on line ${earlier} already.`);
      }
      lines.set(id, line);
      imports.push({ ...readTerms(options, timeZone, now), ...secret });
    });
  }
  problems.throwAny(sources.length);
  return imports;
}

/** Parses the SHA-256 of a secret: of its exact text in UTF-8, without a line break. */
function hashOf(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(text.trim()))
    throw new CommandFailure('sha256 must be 64 hexadecimal digits.');
  return Buffer.from(text.trim(), 'hex');
}

function tokenOf(text: string, allowWeak: boolean): string {
  try {
    return canonicalTokenText(text, allowWeak);
  } catch (error) {
    throw error instanceof TokenTextError
      ? new CommandFailure(`The token ${error.message}.`)
      : error;
  }
}

/** Warns on standard error about short secrets. */
function warnOfShort(imports: readonly TokenImport[]): void {
  const short = imports.filter((one) => 'text' in one && isShortToken(one.text)).length;
  if (short === 0) return;
  const which = short === 1 ? '1 secret is' : `${short} secrets are`;
  remark(
    `Warning: ${which} shorter than 16 characters and may be guessed; give the application a new one when you can.`,
  );
}
