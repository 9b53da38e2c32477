import { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import {
  canonicalTokenText,
  hashToken,
  isShortToken,
  OLD_HASHES,
  TokenTextError,
} from '../../domain/credentials/token-text.ts';
import { importTokens, type TokenImport } from '../../domain/credentials/tokens.ts';
import type { Store } from '../../store/store.ts';
import { words } from '../../store/words.ts';
import { CommandFailure } from '../failure.ts';
import { withJson } from '../io/options.ts';
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

const FIELDS = words('token sha256 sha1 md5 kind scopes user label expires');

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
  /** Or its hash. */
  readonly hash?: Buffer;
  readonly options: TermOptions;
}

export function tokenImportCommand(): Command {
  return withJson(
    addTermOptions(new Command('import'))
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
      ),
    `${KINDS_HELP}

A secret has 8 to 255 characters, with --allow-weak 4 to 255. Guessing is slowed down, but short secrets can still be guessed in time: give applications new ones of 16 characters or more as soon as you can. A secret is never an argument, since other users of the machine can read those. All of a
file is imported or nothing; importing again changes nothing. With a column sha256, sha1 or md5 in place of token no
secret passes through a file: it is printf %s "$secret" | sha256sum, or what the old site has, in hexadecimal digits or
in Base64, of the secret in UTF-8 or, as HASHBYTES of nvarchar, in UTF-16. The first use of the secret stores SHA-256 in
place of another hash.

Examples:
  ws01 token import --label "old shop"            (asks for the secret)
  ws01 token import --scopes articles < secret.txt
  ws01 token import --list tokens.csv`,
  ).action(importAll);
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
      const { token = '', sha256, sha1, md5, kind, scopes, ...texts } = given;
      const terms = {
        kind: kind === undefined ? defaults.kind : readKind(kind),
        scopes: scopes === undefined ? defaults.scopes : readScopeList(scopes),
      };
      const hashes = Object.entries({ sha256, sha1, md5 }).filter(([, text]) => text !== undefined);
      if (hashes.length + (token === '' ? 0 : 1) > 1)
        throw new CommandFailure('Give one of token, sha256, sha1 and md5.');
      const [hash] = hashes.map(([name, text]) => hashOf(name as keyof typeof OLD_HASHES, text!));
      const secret = hash === undefined ? { text: token } : { text: '', hash };
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
  const folded = new Map<string, number[]>();
  for (const { line, text, hash, options } of sources) {
    problems.collect(line, () => {
      const secret = hash === undefined ? { text: tokenOf(text, allowWeak) } : { hash };
      const id =
        'text' in secret ? hashToken(secret.text).toString('hex') : secret.hash.toString('hex');
      const earlier = lines.get(id);
      if (earlier !== undefined) {
        throw new CommandFailure(`The token is on line ${earlier} already.`);
      }
      lines.set(id, line);
      if ('text' in secret) {
        const same = secret.text.toLowerCase();
        folded.set(same, [...(folded.get(same) ?? []), line]);
      }
      imports.push({ ...readTerms(options, timeZone, now), ...secret });
    });
  }
  problems.throwAny(sources.length);
  warnOfCase([...folded.values()].filter((same) => same.length > 1));
  return imports;
}

/** How many groups of lines a warning names. */
const NAMED_GROUPS = 5;

/** Warns of secrets that SQL Server took for the same. @param groups their lines. */
function warnOfCase(groups: readonly (readonly number[])[]): void {
  if (groups.length === 0) return;
  const named = groups.slice(0, NAMED_GROUPS).map((lines) => lines.join(' and '));
  const more = groups.length > named.length ? `, and ${groups.length - named.length} more` : '';
  remark(
    `Warning: secrets that differ only in letter case are different here: lines ${named.join('; ')}${more}. ` +
      'An old database may have taken them for one.',
  );
}

/**
 * Parses the hash of a secret: hexadecimal digits, also as of SQL Server (0x…) and .NET (AB-CD-…),
 * or Base64.
 */
function hashOf(name: keyof typeof OLD_HASHES, text: string): Buffer {
  const digits = text.trim().replace(/^0x/i, '').replaceAll('-', '');
  const bytes = /^[0-9a-f]+$/i.test(digits)
    ? Buffer.from(digits, 'hex')
    : Buffer.from(text.trim(), 'base64');
  const most = OLD_HASHES[name];
  if (bytes.length === most && /^[\w+/=-]+$/.test(text.trim())) return bytes;
  throw new CommandFailure(
    `${name} must be ${2 * most} hexadecimal digits, or as many bytes in Base64.`,
  );
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
