import { rename, rm } from 'node:fs/promises';
import type { RecordedExchange } from '../traffic/exchange.ts';
import { withoutSecrets } from '../traffic/keep-exchange.ts';
import { keptExchanges } from '../traffic/read-recording.ts';
import { RecordingFile } from '../traffic/recording-file.ts';
import { Secrets } from '../traffic/redact.ts';
import type { Command } from './command.ts';
import { SECRET_HELP, SECRET_OPTIONS, SECRETS_HELP, secretsOf } from './record-command.ts';

export const redactCommand: Command = {
  name: 'redact',
  parameters: ['<recording>...'],
  summary:
    'Take secrets out of recordings that asmx record, or a project of asmx from --proxy, made earlier.',
  options: { ...SECRET_OPTIONS, json: { type: 'boolean' } },
  help: `
Each file is written again in its place, readable by its owner alone; what writes it must have been stopped. ${SECRETS_HELP} A secret of one file is taken out of all that are named.
What was a secret in a file that you shared or committed is known: change it at the old server, too.

  ${SECRET_HELP}
  --json             print one JSON object

Exit codes: 0 done; 1 a file cannot be written; 2 a file cannot be read.

Examples:
  asmx redact recordings/*.jsonl
  asmx redact traffic.jsonl --secret customerNo`,
  async run(files, options, { print }) {
    const secrets = new Secrets(secretsOf(options));
    // What is a secret is known only at the end: a value may stand where nothing says so before it
    // is named.
    for (const file of files)
      for await (const { exchange } of keptExchanges(file)) withoutSecrets(exchange, secrets);
    const cleaned = [];
    for (const file of files) cleaned.push({ file, ...(await clean(file, secrets)) });
    print(
      options.json
        ? `${JSON.stringify({ files: cleaned })}\n`
        : cleaned
            .map(({ file, exchanges, changed, names }) => {
              const what =
                changed === 0 ? 'no secret found' : `${changed} changed: ${names.join(', ')}`;
              return `${file}: ${exchanges} exchanges, ${what}.\n`;
            })
            .join(''),
    );
    return 0;
  },
};

/**
 * Writes a recording again.
 * @throws {RecordingError}
 * @throws the system's error when it cannot be written.
 */
async function clean(file: string, secrets: Secrets) {
  const beside = `${file}.redacting`;
  await rm(beside, { force: true });
  let written: RecordingFile | undefined;
  let changed = 0;
  const names = new Set<string>();
  try {
    for await (const { of, exchange } of keptExchanges(file)) {
      written ??= await RecordingFile.create(beside, of);
      const without = withoutSecrets(exchange, secrets);
      if (!isSame(exchange, without)) changed++;
      for (const name of [...without.redacted, ...(without.answer?.redacted ?? [])])
        names.add(name);
      await written.add(without);
    }
    if (written === undefined) return { exchanges: 0, changed, names: [] };
    await written.close();
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return { exchanges: written.count, changed, names: [...names] };
}

/** Whether nothing was taken out, beside what was before. */
function isSame(before: RecordedExchange, after: RecordedExchange): boolean {
  const said = ({ target, request, answer }: RecordedExchange) =>
    JSON.stringify([target, request, answer?.headers, answer?.body]);
  return said(before) === said(after);
}
