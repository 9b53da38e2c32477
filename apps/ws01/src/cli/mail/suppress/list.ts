import { Command } from 'commander';
import { listSuppressions, type Suppression } from '../../../domain/mail/suppressions.ts';
import { positiveInteger, readPages } from '../../io/options.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../../io/output.ts';
import { withStore } from '../../io/session.ts';
import { table } from '../../io/table.ts';

interface Options {
  readonly most: number;
  readonly json?: true;
}

export function mailSuppressListCommand(): Command {
  return new Command('list')
    .description('List the addresses that the service sends no mail to, and why')
    .option('--most <number>', 'the largest number to list', positiveInteger, 1_000)
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
Reasons:
  bounce  a mail server refused the address permanently; its reply is shown
  manual  added by an operator

Examples:
  ws01 mail suppress list`,
    )
    .action(({ most, json }: Options) =>
      withStore(async (store) => {
        const list = await readPages<Suppression>(most, (page, last) =>
          listSuppressions(store, page, last?.address),
        );
        if (json) {
          await printJson(list.map(jsonOfSuppression));
        } else if (list.length === 0) {
          remark('The suppression list is empty.');
        } else {
          await print(table(HEADINGS, list.map(rowOf)));
        }
      }),
    );
}

const HEADINGS = ['ADDRESS', 'REASON', 'SINCE', 'MAIL', 'DETAIL'];

/** Returns a suppressed address for JSON output. */
export function jsonOfSuppression({ address, reason, detail, mail_id, created_at }: Suppression) {
  return { address, reason, detail, mail: mail_id, since: jsonInstant(created_at) };
}

function rowOf({ address, reason, detail, mail_id, created_at }: Suppression): string[] {
  return [address, reason, shownInstant(created_at), mail_id ?? '-', detail || '-'];
}
