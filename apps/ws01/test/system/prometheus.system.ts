// needs: prometheus promtool=prometheus
/** The alerts and the dashboard, on a real Prometheus that scrapes real services under load. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { freePort, originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { blackPng } from '../kit/images/containers.ts';
import { keptLog } from '../kit/log.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { metricsUrl } from '../kit/scrape.ts';
import { startService, TOKEN } from '../kit/service.ts';

const run = promisify(execFile);
const ALERTS = resolve('deploy/prometheus/alerts.yml');

const [soap11, , get, post] = TEST_BINDINGS;

describe('deploy/prometheus', () => {
  it('promtool takes the configuration and the alerts; each fires on an ill service, none on a well one', async () => {
    await run('promtool', ['check', 'config', 'deploy/prometheus/prometheus.yml']);
    const { stdout } = await run('promtool', [
      'test',
      'rules',
      'deploy/prometheus/alerts.test.yml',
    ]);
    assert.match(stdout, /SUCCESS/);
    const names = (text: string) => new Set([...text.matchAll(/WS01\w+/g)].map(([name]) => name));
    const alerts = [...(await readFile(ALERTS, 'utf8')).matchAll(/alert: (\w+)/g)].map(
      ([, name]) => name!,
    );
    assert.deepEqual(
      names(await readFile('deploy/prometheus/alerts.test.yml', 'utf8')),
      new Set(alerts),
    );
  });

  it('every query of the dashboard and of the alerts finds data of a service under load', async (t) => {
    const nodes = [await startNode(t, 'sqlite'), await startNode(t, 'postgres')];
    const url = await startPrometheus(
      t,
      nodes.map(({ metrics }) => new URL(metrics).host),
    );
    let loading = true;
    const load = Promise.all(
      nodes.map(async (node) => {
        for (let round = 0; loading; round++) await node.call(round);
      }),
    );
    try {
      const rules = await until(async () => {
        const { groups } = await ask(url, 'rules');
        const found = groups.flatMap(
          (group: { rules: readonly { health: string }[] }) => group.rules,
        );
        return found.every(({ health }: { health: string }) => health === 'ok') ? found : undefined;
      });
      const alerts = rules.map(
        ({ name, query }: Record<string, string>) => [name!, query!] as const,
      );
      const queries = [
        ...alerts.flatMap(([name, query]: readonly [string, string]) =>
          sidesOf(query).map((side) => [name, side]),
        ),
        ...(await dashboardQueries()),
      ];
      assert.ok(queries.length > 60, `${queries.length} queries`);
      for (const [name, query] of queries) {
        const result = await until(async () => {
          const found = (await ask(url, 'query', query)).result;
          return found.length > 0 ? found : undefined;
        }).catch(() => assert.fail(`${name} finds nothing: ${query}`));
        assert.ok(
          result.every(({ value }: { value: [number, string] }) => value[1] !== ''),
          name,
        );
      }
      t.diagnostic(`${queries.length} queries, ${alerts.length} alerts`);
    } finally {
      loading = false;
      await load;
    }
  });
});

/** What an alert compares: without the comparison there is always something. */
function sidesOf(query: string): string[] {
  return query.split(/ and /).map((part) => part.replace(/ [<>] [\d.e+]+$/, ''));
}

/** Title and text of each query, with what Grafana puts in for its variables. */
async function dashboardQueries(): Promise<(readonly [string, string])[]> {
  interface Panel {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }
  const { panels } = JSON.parse(await readFile('deploy/grafana/ws01.json', 'utf8')) as {
    panels: readonly Panel[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(
      ({ expr }) =>
        [
          title,
          expr
            .replaceAll('$__rate_interval', '1m')
            .replaceAll('$job', 'ws01')
            .replaceAll('$instance', '.*'),
        ] as const,
    ),
  );
}

/** A service with all that it can be given, and calls that use it. */
async function startNode(t: TestContext, engine: TestDatabase['engine']) {
  const database = await freshDatabase(engine, t);
  const mails = await startMailServer(t);
  const gateway = await startHttpGateway(t);
  const old = await startOldServer(t);
  const { log, lines } = keptLog();
  // By hand: one that the service begins is a process with the environment of this test.
  if (engine === 'sqlite') {
    const { code, stderr } = await ws01(database, ['backup', join(database.dataDir, 'backup')]);
    assert.equal(code, 0, stderr);
  }
  const { url } = await startService(
    t,
    database,
    {
      METRICS_PORT: '0',
      RATE_LIMITS: 'off',
      SMTP_URL: mails.url,
      SMS_URL: gateway.url,
      SMS_SECRET: 's'.repeat(32),
      UPSTREAM_URL: `${old}/old.asmx`,
      // A server that is no standby has everything.
      DATABASE_READ_URL: database.databaseUrl,
    },
    log,
  );
  const FileImg = blackPng(8, 8).toString('base64');
  return {
    metrics: metricsUrl(lines),
    async call(round: number) {
      const mail = {
        authorizationUserId: TOKEN,
        receiverName: 'Grace',
        subject: 'Subject',
        body: `Body ${round}`,
      };
      const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
      await post!.call(url, 'InsertArticle', {
        token: TOKEN,
        guid: `g${round}`,
        CreateUserId: 'ada',
        caption: 'Hello',
      });
      await get!.call(url, 'QueryAdvert', { tokenId: TOKEN, userId: 'ada', searchTitle: 'Hello' });
      await get!.call(url, 'countIpPosted', { tokenId: 'no-such-token', IP: '192.0.2.1' });
      await post!.call(url, 'SendEmail', { ...mail, receiverEmail: `r${round}@example.com` });
      await soap11!.call(url, 'InsertArticleImageFile', {
        verifyCode: TOKEN,
        FileGuid: 'g0',
        FileImg,
        IsIcons: 'false',
      });
      await get!.call(url, 'OnlyThere', {});
      await post!.call(url, 'VerifyCodeForPhone', { ...phone, VerifyCode: '000000' });
      await post!.call(url, 'CreateVerifyCode', phone);
      const code = /\b\d{6}\b/.exec(gateway.calls.at(-1)?.body ?? '')?.[0];
      if (code !== undefined)
        await post!.call(url, 'VerifyCodeForPhone', { ...phone, VerifyCode: code });
      const link = await get!.call(url, 'UrltoShortUrl', {
        url: 'https://example.com/',
        userId: 'ada',
      });
      const shown = link.result?.split('/s/')[1];
      for (const face of ['', '.svg'])
        await (await fetch(`${url}/s/${shown}${face}`, { redirect: 'manual' })).text();
      const latin = Buffer.from(
        `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><countIpPosted xmlns="urn:ws01"><tokenId>${TOKEN}</tokenId><IP>192.0.2.1</IP><level>caf\xe9</level></countIpPosted></e:Body></e:Envelope>`,
        'latin1',
      );
      await fetch(`${url}/WS01.asmx`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml' },
        body: latin,
      });
      // An error that is the server's fault, and a call that the old server does not answer.
      if (round % 60 === 20) await ws01(database, ['sms', 'off']);
      if (round % 60 === 40) await ws01(database, ['sms', 'on']);
      await get!.call(url, 'Lost', {});
      await pause(100);
    },
  };
}

/** The server that is replaced; it never answers one of its operations. */
async function startOldServer(t: TestContext): Promise<string> {
  const server = createHttpServer((req, res) => {
    if (req.url?.includes('Lost')) req.socket.destroy();
    else res.end('old');
  });
  return originOf(t, server);
}

async function startPrometheus(t: TestContext, targets: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t, 'ws01-prometheus-');
  const port = await freePort();
  await writeFile(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${JSON.stringify(ALERTS)}]
scrape_configs: [{ job_name: ws01, static_configs: [{ targets: ${JSON.stringify(targets)} }] }]
`,
  );
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(prometheus, 'exit');
  t.after(async () => {
    prometheus.kill('SIGKILL');
    await ended;
  });
  prometheus.stderr.resume();
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok || undefined);
  return url;
}

// biome-ignore lint/suspicious/noExplicitAny: what Prometheus answers is looked at field by field.
async function ask(url: string, what: string, query?: string): Promise<any> {
  const answer = await fetch(
    `${url}/api/v1/${what}${query === undefined ? '' : `?query=${encodeURIComponent(query)}`}`,
  );
  const { status, data, error } = (await answer.json()) as Record<string, unknown>;
  if (status !== 'success') throw new Error(String(error));
  return data;
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 200) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(200);
  }
  throw new Error('waited in vain');
}
