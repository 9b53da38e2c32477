/**
 * A load of its own process: keeps one request in flight on each of a number of keep-alive connections and counts
 * answers. Started by `measure` in `side.ts`; takes its settings as JSON in argv, prints its findings as JSON.
 */
import { connect } from 'node:net';

export interface LoadSettings {
  readonly port: number;
  readonly connections: number;
  /** How long answers are counted, after the warm-up; ms. */
  readonly durationMs: number;
  readonly warmUpMs: number;
  /** The request's bytes as latin1 text; `{serial..}` (of fixed width) stands for a number of its own. */
  readonly request: string;
  /** The first serial number. */
  readonly firstSerial: number;
}

export interface LoadFindings {
  /** Answers counted, after the warm-up. */
  readonly answers: number;
  /** Requests sent, the warm-up's too. */
  readonly sent: number;
  /** Answers with another status than 200. */
  readonly refused: number;
  readonly seconds: number;
  /** Latency percentiles, ms. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly nextSerial: number;
}

/** Where a serial number stands in a request; its width is that of the text. */
export const SERIAL = '{serial....}';

function run(settings: LoadSettings): Promise<LoadFindings> {
  const [before, after] = settings.request.split(SERIAL) as [string, string | undefined];
  let serial = settings.firstSerial;
  const next = (): string =>
    after === undefined ? before : before + String(serial++).padStart(SERIAL.length, '0') + after;

  const started = performance.now();
  const countFrom = started + settings.warmUpMs;
  const end = countFrom + settings.durationMs;
  let answers = 0;
  let sent = 0;
  let refused = 0;
  const latencies: number[] = [];

  const connection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(settings.port, '127.0.0.1');
      socket.setNoDelay(true);
      let sentAt = 0;
      let held = '';
      let wanted = -1;
      const send = () => {
        sentAt = performance.now();
        sent++;
        socket.write(next(), 'latin1');
      };
      socket.on('connect', send);
      socket.on('data', (chunk: Buffer) => {
        held += chunk.toString('latin1');
        if (wanted < 0) {
          const head = held.indexOf('\r\n\r\n');
          if (head < 0) return;
          const length = /content-length: (\d+)/i.exec(held.slice(0, head));
          wanted = head + 4 + Number(length?.[1] ?? 0);
        }
        if (held.length < wanted) return;
        const now = performance.now();
        if (now >= countFrom) {
          answers++;
          latencies.push(now - sentAt);
          if (!held.startsWith('HTTP/1.1 200')) refused++;
        }
        held = '';
        wanted = -1;
        if (now < end) send();
        else socket.end(resolve);
      });
      socket.on('error', reject);
    });

  return Promise.all(Array.from({ length: settings.connections }, connection)).then(() => {
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
    const seconds = (performance.now() - countFrom) / 1000;
    return { answers, sent, refused, seconds, p50: at(0.5), p99: at(0.99), max: at(1), nextSerial: serial };
  });
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(await run(JSON.parse(process.argv[2]!))));
}
