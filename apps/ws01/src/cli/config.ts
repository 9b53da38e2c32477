import { Command } from 'commander';
import { effectiveSettings, loadConfig, settingWarnings } from '../config/config.ts';
import { CommandFailure } from './failure.ts';
import { withJson } from './io/options.ts';
import { print, printJson, remark } from './io/output.ts';
import { table } from './io/table.ts';

export function configCommand(): Command {
  return withJson(
    new Command('config').option('--set', 'only settings that differ from the default'),
    `Shows the value of each setting and its source: default, environment, or the path of a file (--env-file, NAME_FILE, a systemd credential). Secrets are hidden; of a URL with a password only scheme and host are shown. No database is opened. The exit code is 78 when the service could not start with these settings.

Examples:
  ws01 config --set
  ws01 --env-file /etc/ws01.env config --json`,
  ).action(async ({ set, json }: { set?: true; json?: true }) => {
    const settings = effectiveSettings().filter(({ from }) => !set || from !== 'default');
    const warnings = settingWarnings();
    if (json) {
      const shown = settings.map(({ variable, shown, from, wrong }) => ({
        variable,
        value: shown ?? null,
        from,
        wrong: wrong ?? null,
      }));
      await printJson({ settings: shown, warnings });
    } else {
      await print(
        table(
          ['SETTING', 'VALUE', 'FROM'],
          settings.map((one) => [one.variable, one.shown ?? '-', one.from]),
        ),
      );
      for (const warning of warnings) remark(`Warning: ${warning}`);
    }
    const wrong = settings.flatMap((one) => one.wrong ?? []);
    if (wrong.length > 0) throw new CommandFailure(wrong.join('\n'), { exitCode: 78 });
    // Checks that need two settings.
    loadConfig();
  });
}
