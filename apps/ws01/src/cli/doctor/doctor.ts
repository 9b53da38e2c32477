import { Command } from 'commander';
import { loadConfig } from '../../config/config.ts';
import { CommandFailure, describeError } from '../failure.ts';
import { withJson } from '../io/options.ts';
import { counted, print, printJson } from '../io/output.ts';
import { CHECKS, type Result } from './checks.ts';
import { checkSenderRecords } from './dns.ts';

interface Options {
  readonly dns?: string;
  readonly json?: true;
}

const MARKS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL', skipped: '-   ' } as const;

export function doctorCommand(): Command {
  return withJson(
    new Command('doctor').option(
      '--dns <server>',
      'look up SPF, DKIM and DMARC of the sender at this name server',
    ),
    `Looks at settings, Node, libraries, the owner of files, disk, clock, database, image files, backups, the mail server's dialogue, the SMS
gateway, the proxy and the DNS records of the sender, each with a remedy. Nothing is written, mailed or texted. Run it as
the service's user. The exit code is 1 when something failed; warnings alone are 0.

Examples:
  ws01 --env-file /etc/ws01.env doctor
  ws01 doctor --dns 9.9.9.9 --json`,
  ).action(async ({ dns, json }: Options) => {
    const config = loadConfig();
    const checks = [...CHECKS, { name: 'dns', run: () => checkSenderRecords(config, dns) }];
    const told: (Result & { readonly check: string })[] = [];
    for (const { name, run } of checks) {
      for (const result of await run(config).catch(asResults)) {
        told.push({ check: name, ...result });
        if (!json) await print(lineOf(name, result));
      }
    }
    if (json) await printJson({ checks: told });
    const failed = told.filter(({ state }) => state === 'fail').length;
    if (failed > 0) throw new CommandFailure(`${counted(failed, 'check')} failed.`);
  });
}

/** A check that throws is reported as failed; the other checks still run. */
function asResults(error: Error): readonly Result[] {
  return [
    {
      state: 'fail',
      what: describeError(error).text.split('\n', 1)[0]!,
      remedy: 'see the message; run this as the user of the service',
    },
  ];
}

function lineOf(name: string, { state, what, remedy }: Result): string {
  const line = `${MARKS[state]}  ${name.padEnd(9)}  ${what}\n`;
  return remedy === undefined ? line : `${line}${' '.repeat(17)}→ ${remedy}\n`;
}
