import { Command } from 'commander';
import { type Config, ConfigError, loadConfig } from '../../config/config.ts';
import { backupState } from '../../domain/backup/records.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { openStore } from '../../store/open.ts';
import type { BackupsTable } from '../../store/tables/tables.ts';
import { CommandFailure } from '../failure.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { diskFindings, type Finding, findingsOf } from './findings.ts';

/** How long a service may take to say how it is; ms. */
const ANSWER_MS = 3_000;

export function statusCommand(): Command {
  return new Command('status')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Asks the service of HOST and PORT how its parts are, and the database what waits, failed or is due. Changes nothing. The
exit code is 1 when something is degraded or down.

Examples:
  ws01 status
  ws01 status --json`,
    )
    .action(({ json }: { json?: true }) => status(json === true));
}

async function status(json: boolean): Promise<void> {
  const config = loadConfig();
  const [service, database, disks] = await Promise.all([askService(config), askDatabase(config), diskFindings(config)]);
  const ofService = service.findings.filter(({ part }) => !database.findings.some((other) => other.part === part));
  // The disk is told in more words here than by the service.
  const findings = [...ofService.filter(({ part }) => part !== 'disk'), ...database.findings, ...disks];
  const bad = findings.filter(({ state }) => state !== 'notice');
  const state = findings.some((one) => one.state === 'down') ? 'down' : bad.length > 0 ? 'degraded' : 'ok';
  const { lastGood } = database;
  if (json) {
    await printJson({
      state,
      service: service.said,
      lastGoodBackup:
        lastGood === undefined
          ? null
          : { name: lastGood.name, target: lastGood.target, verifiedAt: jsonInstant(lastGood.verified_at) },
      findings: findings.map((one) => ({ ...one, since: jsonInstant(one.since) })),
    });
  } else {
    const backup = lastGood === undefined ? 'none' : `${lastGood.name}, verified ${shownInstant(lastGood.verified_at)}`;
    await print(`service      ${service.said}\nlast backup  ${backup}\n${findings.map(textOf).join('')}`);
    if (findings.length === 0) remark('Nothing is wrong.');
  }
  if (bad.length > 0) throw new CommandFailure(`${bad.length} ${bad.length === 1 ? 'thing is' : 'things are'} wrong.`);
}

function textOf({ part, state, what, since, affected, next }: Finding): string {
  const when = since === undefined ? '' : `  since     ${shownInstant(since)}\n`;
  return `\n${part}: ${state}\n  what      ${what}\n${when}  affected  ${affected}\n  next      ${next}\n`;
}

/** What `/readyz?verbose` of the service says. */
async function askService({
  host,
  port,
}: Config): Promise<{ readonly said: string; readonly findings: readonly Finding[] }> {
  const at = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${at}:${port}/readyz?verbose`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { status: said, parts } = (await answer.json()) as {
      status: string;
      parts: Record<string, { state: string; since: string }>;
    };
    const findings = Object.entries(parts).flatMap(([part, { state, since }]): Finding[] =>
      state === 'ok'
        ? []
        : [
            {
              part,
              state: state === 'down' ? 'down' : 'degraded',
              what: 'the service cannot use it; the reason is in its log',
              since: Date.parse(since),
              affected: state === 'down' ? 'every call' : 'the calls that need it',
              next: 'ws01 doctor',
            },
          ],
    );
    return { said: `${said} at ${at}:${port}`, findings };
  } catch {
    const what = `nothing answers at ${url}`;
    return {
      said: `not running at ${at}:${port}`,
      findings: [
        {
          part: 'service',
          state: 'down',
          what,
          since: undefined,
          affected: 'everybody',
          next: 'systemctl status ws01, or set HOST and PORT as the service has them',
        },
      ],
    };
  }
}

async function askDatabase(
  config: Config,
): Promise<{ readonly findings: readonly Finding[]; readonly lastGood: BackupsTable | undefined }> {
  const { databaseUrl, dataDir } = config;
  try {
    const store = await openStore({
      databaseUrl,
      dataDir,
      poolSize: 1,
      startTimeout: 0,
      guest: true,
      schema: 'require',
    });
    try {
      const findings = await store.read((db) => findingsOf(db, config, Date.now()));
      return { findings, lastGood: (await store.read(backupState)).lastGood };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isFailureOf('database', error) || error instanceof ConfigError) throw error;
    const finding: Finding = {
      part: 'database',
      state: 'down',
      what: error.message,
      since: undefined,
      affected: 'every call',
      next: 'ws01 doctor',
    };
    return { findings: [finding], lastGood: undefined };
  }
}
