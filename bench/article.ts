import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadFindings, SERIAL } from './kit/load.ts';
import { cpuMicros, measure, median, type Side, startSide, stopSide } from './kit/side.ts';

const TOKEN = 'bench-token-0123456789';
const ROUNDS = 5;
const CONNECTIONS = 64;

export const summary = 'InsertArticle and UpdatePinnedTopDueDateByGuid beside a bare node:http server';

interface Workload {
  readonly name: string;
  /** The request as it stands on the wire. */
  readonly request: string;
  readonly contentType: string;
  /** What the bare server answers: the same bytes. */
  readonly answer: string;
}

const PARAMS = {
  InsertArticle: {
    token: TOKEN,
    guid: `article-${SERIAL}`,
    caption: 'Flat to let, two rooms',
    content: 'Bright and quiet, near the park. '.repeat(6),
    categoryGuid: 'housing',
    contactPhone: '+1 212 555 0100',
    pinnedTopDueDate: '0001-01-01T00:00:00',
    CreateUserId: 'user-1',
    IconGuid: '',
    Status: '0',
    fromUrl: '',
  },
  UpdatePinnedTopDueDateByGuid: { token: TOKEN, guid: 'pinned', pinnedTopDueDate: `2030-01-31T00:00:00.${SERIAL}Z` },
};

/** One side driven once. */
interface Drive extends LoadFindings {
  /** The server's CPU time; µs. */
  readonly cpuPerCall: number;
}

type Operation = keyof typeof PARAMS;

/** The length of what a client sends, with the serial number in place. */
function post(path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function soap11(operation: Operation): Workload {
  const children = Object.entries(PARAMS[operation]).map(([name, value]) => `<${name}>${value}</${name}>`);
  const around = (inside: string) =>
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>${inside}</soap:Body></soap:Envelope>`;
  return {
    name: `${operation}, SOAP 1.1`,
    contentType: 'text/xml; charset=utf-8',
    request: post(
      '/WS01.asmx',
      `Content-Type: text/xml; charset=utf-8\r\nSOAPAction: "urn:ws01/${operation}"`,
      around(`<${operation} xmlns="urn:ws01">${children.join('')}</${operation}>`),
    ),
    answer: around(
      `<${operation}Response xmlns="urn:ws01"><${operation}Result>${PARAMS[operation].guid}</${operation}Result></${operation}Response>`,
    ),
  };
}

function form(operation: Operation): Workload {
  // The serial number must stand in the request as it is, so its braces are put back after encoding.
  const body = new URLSearchParams(PARAMS[operation]).toString().replace(encodeURIComponent(SERIAL), SERIAL);
  return {
    name: `${operation}, POST`,
    contentType: 'text/xml; charset=utf-8',
    request: post(`/WS01.asmx/${operation}`, 'Content-Type: application/x-www-form-urlencoded', body),
    answer: `<?xml version="1.0" encoding="utf-8"?>\r\n<string xmlns="urn:ws01">${PARAMS[operation].guid}</string>`,
  };
}

/** `npm run bench -- article [seconds]`: each workload against both sides in turn, medians of some rounds. */
export async function run(args: readonly string[]): Promise<void> {
  const durationMs = Number(args[0] ?? 2) * 1000;
  const workloads = (['InsertArticle', 'UpdatePinnedTopDueDateByGuid'] as const).flatMap((operation) => [
    soap11(operation),
    form(operation),
  ]);
  console.log(`${CONNECTIONS} connections, one core for the server, one for the load; median of ${ROUNDS} rounds.`);
  console.log('| workload | this service/s | bare node:http/s | ratio | CPU µs a call | bare | p50 ms | p99 ms |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const workload of workloads) await compare(workload, durationMs);
}

async function compare(workload: Workload, durationMs: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-bench-'));
  const ours = await startSide('ws01', ['bin/ws01.js', 'serve'], {
    PORT: '0',
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  });
  const bare = await startSide('bare', [
    'bench/kit/bare-server.ts',
    JSON.stringify({ contentType: workload.contentType, body: workload.answer }),
  ]);
  try {
    await insertPinned(ours.port);
    const rounds: { ours: Drive; bare: Drive }[] = [];
    let firstSerial = 1;
    const drive = async (side: Side): Promise<Drive> => {
      const cpu = await cpuMicros(side);
      const findings = await measure({
        port: side.port,
        connections: CONNECTIONS,
        durationMs,
        warmUpMs: 500,
        request: workload.request,
        firstSerial,
      });
      return { ...findings, cpuPerCall: ((await cpuMicros(side)) - cpu) / findings.sent };
    };
    for (let round = 0; round < ROUNDS; round++) {
      const mine = await drive(ours);
      firstSerial = mine.nextSerial;
      if (mine.refused > 0) throw new Error(`${mine.refused} of ${mine.answers} calls were refused.`);
      rounds.push({ ours: mine, bare: await drive(bare) });
    }
    const rate = (findings: LoadFindings) => findings.answers / findings.seconds;
    const ourRate = median(rounds.map((round) => rate(round.ours)));
    const bareRate = median(rounds.map((round) => rate(round.bare)));
    const ratio = median(rounds.map((round) => rate(round.ours) / rate(round.bare)));
    const p50 = median(rounds.map((round) => round.ours.p50));
    const p99 = median(rounds.map((round) => round.ours.p99));
    const cpu = median(rounds.map((round) => round.ours.cpuPerCall));
    const bareCpu = median(rounds.map((round) => round.bare.cpuPerCall));
    console.log(
      `| ${workload.name} | ${Math.round(ourRate)} | ${Math.round(bareRate)} | ${ratio.toFixed(2)} | ${cpu.toFixed(1)} | ${bareCpu.toFixed(1)} | ${p50.toFixed(2)} | ${p99.toFixed(2)} |`,
    );
  } finally {
    await Promise.all([stopSide(ours), stopSide(bare)]);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function insertPinned(port: number): Promise<void> {
  const body = new URLSearchParams({ ...PARAMS.InsertArticle, guid: 'pinned' });
  const answer = await fetch(`http://127.0.0.1:${port}/WS01.asmx/InsertArticle`, { method: 'POST', body });
  if (answer.status !== 200) throw new Error(await answer.text());
}
