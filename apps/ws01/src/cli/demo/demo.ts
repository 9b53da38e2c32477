import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { loadConfig } from '../../config/config.ts';
import { addAdmin } from '../../domain/admins/admins.ts';
import { openStore } from '../../store/open.ts';
import { print, printJson, remark } from '../io/output.ts';
import { createLog } from '../log.ts';
import { startApp } from '../serve/start-app.ts';
import { firstSignal } from '../signals.ts';
import { fill } from './fill.ts';

interface Options {
  readonly port: string;
  readonly json?: true;
}

export function demoCommand(): Command {
  return new Command('demo')
    .addOption(
      new Option('--port <port>', 'the port to listen on; 0 takes a free one')
        .env('PORT')
        .default('8080'),
    )
    .option('--json', 'print one JSON object instead of lines for people')
    .addHelpText(
      'after',
      `
The database is created in a temporary folder and removed at the end. Nothing leaves the machine: mails stay in the console's outbox.

Examples:
  ws01 demo
  ws01 demo --port 9000`,
    )
    .action(demo);
}

/** Serves a sample site until it is stopped, then deletes it. */
async function demo({ port, json }: Options): Promise<void> {
  const stopRequested = firstSignal();
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-demo-'));
  try {
    const config = loadConfig({
      DATA_DIR: dataDir,
      PORT: port,
      SERVICE_NAME: 'Corner Market',
      // A slow machine warns of itself while the site is filled, in JSON and with stacks.
      LOG_LEVEL: 'error',
    });
    const app = await startApp(config, createLog(config.logLevel));
    try {
      remark('Filling a classifieds site …');
      const service = `http://localhost:${app.port}`;
      await fill(service, app.firstToken!, config.servicePaths[0]!);
      const link = await setUpLink(dataDir, service);
      const told = {
        console: link,
        service: `${service}${config.servicePaths[0]}`,
        token: app.firstToken!,
      };
      await (json ? printJson(told) : print(forPeople(told)));
      await stopRequested;
    } finally {
      await app.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Creates a link with which the user becomes an owner in the console. */
async function setUpLink(dataDir: string, service: string): Promise<string> {
  const store = await openStore({ dataDir, guest: true, schema: 'require' });
  try {
    const secret = await addAdmin(store, { name: 'demo', role: 'owner' }, Date.now);
    return `${service}/console/set-up/${secret}`;
  } finally {
    await store.close();
  }
}

function forPeople({
  console: link,
  service,
  token,
}: {
  console: string;
  service: string;
  token: string;
}): string {
  return `
Corner Market is open, with articles, adverts, pictures, reviews, mails, links and codes in it.

  Console, by a link that opens once      ${link}
    there choose a passkey, or a password such as corner-market-demo
  Operations, with forms to try them      ${service}
  A token for all operations              ${token}
${existsSync(EXAMPLE) ? exampleLines(service, token) : ''}
Ctrl-C ends it; everything is removed then.
`;
}

/** An example client, in a clone of the project. */
const EXAMPLE = 'examples/classifieds/site.js';

/** Returns the lines that start the example beside the demo. */
function exampleLines(service: string, token: string): string {
  return `
A site of two pages that reads and writes what is here; in another terminal:

  WS01_TOKEN=${token} npm run -s example -- --service ${service}
`;
}
