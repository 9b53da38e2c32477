import { Command } from 'commander';
import { type Config, ConfigError, loadConfig } from '../../config/config.ts';
import { backupState } from '../../domain/backup/records.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { remedyIn } from '../../failure/remedy.ts';
import type { BackupsTable } from '../../store/tables/tables.ts';
import { CommandFailure } from '../failure.ts';
import { withJson } from '../io/options.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { openForReading } from '../io/session.ts';
import { askService, type TransportsSaid } from './ask-service.ts';
import { diskFindings, type Finding, findingsOf } from './findings.ts';

export function statusCommand(): Command {
  return withJson(
    new Command('status'),
    `Asks the service at HOST and PORT, or at SOCKET_PATH, for its health, and reads from the database what waits, failed or is due. Changes nothing. The exit code is 1 when something is degraded or down.

Examples:
  ws01 status
  ws01 status --json`,
  ).action(({ json }: { json?: true }) => status(json === true));
}

async function status(json: boolean): Promise<void> {
  const config = loadConfig();
  const [service, database, disks] = await Promise.all([
    askService(config),
    askDatabase(config),
    diskFindings(config),
  ]);
  const ofService = service.findings.filter(
    ({ part }) => !database.findings.some((other) => other.part === part),
  );
  // The disk check here has more details than the service's.
  const findings = [
    ...ofService.filter(({ part }) => part !== 'disk'),
    ...database.findings,
    ...disks,
  ];
  const bad = findings.filter(({ state }) => state !== 'notice');
  const state =
    (['down', 'degraded'] as const).find((one) => bad.some((each) => each.state === one)) ?? 'ok';
  const { lastGood } = database;
  if (json) {
    await printJson({
      state,
      service: service.said,
      lastGoodBackup:
        lastGood === undefined
          ? null
          : {
              name: lastGood.name,
              target: lastGood.target,
              verifiedAt: jsonInstant(lastGood.verified_at),
            },
      transports: Object.entries(service.transports).map(([transport, { calls, last }]) => ({
        transport,
        calls,
        last: jsonInstant(last),
      })),
      findings: findings.map((one) => ({ ...one, since: jsonInstant(one.since) })),
    });
  } else {
    const backup =
      lastGood === undefined
        ? 'none'
        : `${lastGood.name}, verified ${shownInstant(lastGood.verified_at)}`;
    const transports = callsText(service.transports);
    await print(
      `service      ${service.said}\nlast backup  ${backup}\n${transports}${findings.map(textOf).join('')}`,
    );
    if (findings.length === 0) remark('Nothing is wrong.');
  }
  if (bad.length > 0)
    throw new CommandFailure(
      `${bad.length} ${bad.length === 1 ? 'thing is' : 'things are'} wrong.`,
    );
}

/** By TLS version and scheme, as a trusted proxy tells them; newest use first. */
function callsText(transports: TransportsSaid): string {
  return Object.entries(transports)
    .sort(([, one], [, other]) => other.last - one.last)
    .map(([transport, { calls, last }], index) => {
      const label = (index === 0 ? 'calls by' : '').padEnd(11);
      const since = `${calls} since the start, the last ${shownInstant(last)}`;
      return `${label}  ${transport.padEnd(7)}  ${since}\n`;
    })
    .join('');
}

function textOf({ part, state, what, since, affected, next }: Finding): string {
  const when = since === undefined ? '' : `  since     ${shownInstant(since)}\n`;
  return `\n${part}: ${state}\n  what      ${what}\n${when}  affected  ${affected}\n  next      ${next}\n`;
}

async function askDatabase(
  config: Config,
): Promise<{ readonly findings: readonly Finding[]; readonly lastGood: BackupsTable | undefined }> {
  try {
    const store = await openForReading(config);
    try {
      const findings = await store.read((db) => findingsOf(db, config, Date.now()));
      return { findings, lastGood: (await store.read(backupState)).lastGood };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isFailureOf('database', error) || error instanceof ConfigError) throw error;
    const { what, remedy } = remedyIn(error.message);
    const finding: Finding = {
      part: 'database',
      state: 'down',
      what,
      since: undefined,
      affected: 'every call',
      next: remedy ?? 'ws01 doctor',
    };
    return { findings: [finding], lastGood: undefined };
  }
}
