/** A crowd in a process of its own: is sent settings, comes, sends back what it found. */
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMib } from '../sides/process-stats.ts';
import { Connection } from './connection.ts';
import type { CrowdFindings, CrowdGroup, CrowdSettings, GroupFindings } from './crowd.ts';
import { Times } from './tally.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const HEALTH_EVERY_MS = 20;
/** A client that finds no connection opens one, up to so many of a group. */
const MOST_CONNECTIONS = 3_000;
const LAST_ANSWERS_MS = 20_000;

/** Numbers of requests never repeat in the life of the process. */
let serial = 1;

class Group {
  readonly #settings: CrowdSettings;
  readonly #group: CrowdGroup;
  readonly #first: number;
  readonly #idle: Connection[] = [];
  readonly #all: Connection[] = [];
  readonly #times = new Times();
  readonly #counts = { sent: 0, accepted: 0, busy: 0, leftOut: 0, failed: 0 };
  #due = performance.now();
  #address = 0;

  /** @param first the number of its first address. */
  constructor(settings: CrowdSettings, group: CrowdGroup, first: number) {
    this.#settings = settings;
    this.#group = group;
    this.#first = first;
  }

  get quiet(): boolean {
    return this.#all.every(({ busy }) => !busy);
  }

  /** Sends what is due. */
  send(now: number): void {
    for (; this.#due <= now; this.#due += 1000 / this.#group.rate) {
      const connection = this.#idle.pop() ?? this.#another();
      if (connection === undefined) this.#counts.leftOut++;
      else {
        this.#counts.sent++;
        connection.send(serial++, this.#due);
      }
    }
  }

  end(): GroupFindings {
    for (const connection of this.#all) connection.close();
    return { ...this.#counts, latency: this.#times.percentiles() };
  }

  #another(): Connection | undefined {
    if (this.#all.length === MOST_CONNECTIONS) return undefined;
    const number = this.#first + (this.#address++ % this.#group.addresses);
    const address = `127.9.${Math.floor(number / 250)}.${1 + (number % 250)}`;
    const { port } = this.#settings;
    const request = this.#group.afresh ? afresh(this.#settings.request) : this.#settings.request;
    const connection = new Connection(
      port,
      [request],
      { answered: this.#answered, failed: this.#failed },
      address,
    );
    this.#all.push(connection);
    return connection;
  }

  readonly #answered = (connection: Connection, status: number): void => {
    this.#idle.push(connection);
    if (status === 200) {
      this.#counts.accepted++;
      this.#times.add(performance.now() - connection.startedAt);
    } else if (status === 503) this.#counts.busy++;
    else this.#counts.failed++;
  };

  readonly #failed = (): void => {
    this.#counts.failed++;
  };
}

/** A request with which its connection ends. */
function afresh(request: string): string {
  return request.replace('\r\n', '\r\nConnection: close\r\n');
}

/** Asks for health again and again, as probes do: on a new connection each time. */
function watchHealth({ port }: CrowdSettings) {
  const times = new Times();
  let failed = 0;
  const connection = new Connection(port, [HEALTH], {
    answered(_, status) {
      if (status === 200) times.add(performance.now() - connection.startedAt);
      else failed++;
    },
    failed: () => failed++,
  });
  const timer = setInterval(() => {
    if (!connection.busy) connection.send(1, performance.now());
  }, HEALTH_EVERY_MS);
  return () => {
    clearInterval(timer);
    connection.close();
    return { health: times.percentiles(), healthFailed: failed };
  };
}

async function come(settings: CrowdSettings): Promise<CrowdFindings> {
  let addresses = 0;
  const groups = settings.groups.map((group) => {
    addresses += group.addresses;
    return new Group(settings, group, addresses - group.addresses);
  });
  const health = watchHealth(settings);
  const began = performance.now();
  let resident = 0;
  for (let now = began; now < began + settings.durationMs; now = performance.now()) {
    for (const group of groups) group.send(now);
    resident = Math.max(resident, residentMib(settings.pid));
    await sleep(1);
  }
  const ended = performance.now();
  const deadline = performance.now() + LAST_ANSWERS_MS;
  while (!groups.every(({ quiet }) => quiet) && performance.now() < deadline) await sleep(5);
  const endedMs = performance.now() - ended;
  return {
    seconds: (ended - began) / 1000,
    endedMs,
    groups: groups.map((group) => group.end()),
    ...health(),
    resident,
  };
}

process.on('message', async (settings: CrowdSettings) => process.send!(await come(settings)));
