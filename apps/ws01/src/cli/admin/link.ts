import type { Config } from '../../config/config.ts';
import { consoleUrl } from '../../config/config.ts';
import { LINK_MS } from '../../domain/admins/admins.ts';
import { jsonInstant, print, printJson, remark } from '../io/output.ts';
import { notedConsole } from '../serve/console-address.ts';

/**
 * Prints the link with which an admin sets up a password or passkey. Standard output gets only the link.
 * @param secret the secret of the link.
 */
export async function showLink(
  config: Config,
  name: string,
  secret: string,
  json: boolean,
): Promise<void> {
  const at = (await notedConsole(config.dataDir)) ?? consoleUrl(config, config.port);
  const link = `${at}/set-up/${secret}`;
  if (json) {
    await printJson({ name, link, expiresAt: jsonInstant(Date.now() + LINK_MS) });
    return;
  }
  await print(`${link}\n`);
  remark(
    `Open it within ${LINK_MS / 3_600_000} hours to choose a passkey or a password; it works once.`,
  );
  if (!config.console)
    remark('CONSOLE is off: the service serves no console until you set it to on.');
}
