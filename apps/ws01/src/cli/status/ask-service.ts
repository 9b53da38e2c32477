import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { json } from 'node:stream/consumers';
import { signalAfter } from '@ws01/asmx/time';
import { type Config, schemeOf } from '../../config/config.ts';
import type { Finding } from './findings.ts';

/** Timeout of the service's answer; ms. */
const ANSWER_MS = 3_000;

interface PartSaid {
  readonly state: string;
  readonly since: string;
  readonly reason?: string;
}

/** Calls since the start, and the last one in ms since 1970, by how they reached the proxy. */
export type TransportsSaid = Readonly<
  Record<string, { readonly calls: number; readonly last: number }>
>;

/** The used parts of the answer of `/readyz?verbose`. */
interface Readiness {
  readonly status: string;
  readonly parts: Readonly<Record<string, PartSaid>>;
  /** Absent in the answer of an earlier release. */
  readonly transports?: TransportsSaid;
}

/**
 * Returns the health that a running service reports: `/readyz?verbose`, at the address of the
 * settings.
 */
export async function askService(config: Config): Promise<{
  readonly said: string;
  readonly findings: readonly Finding[];
  readonly transports: TransportsSaid;
}> {
  const where = whereOf(config);
  try {
    const {
      status,
      parts,
      transports = {},
    } = await readiness(where.options, config.tlsCertFile !== undefined);
    return {
      said: `${status} at ${where.shown}`,
      transports,
      findings: Object.entries(parts).flatMap(([part, said]) =>
        said.state === 'ok' ? [] : [findingOf(part, said)],
      ),
    };
  } catch (error) {
    return {
      said: `not running at ${where.shown}`,
      transports: {},
      findings: [
        {
          part: 'service',
          state: 'down',
          what: `no answer at ${where.shown}: ${reasonOf(error)}`,
          since: undefined,
          affected: 'everybody',
          next: 'systemctl status ws01, or set HOST, PORT, SOCKET_PATH and TLS_CERT_FILE as the service has them',
        },
      ],
    };
  }
}

function whereOf(config: Config): { readonly shown: string; readonly options: RequestOptions } {
  const { host, port, socketPath } = config;
  if (socketPath !== undefined) return { shown: `unix:${socketPath}`, options: { socketPath } };
  const at = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const name = at.includes(':') ? `[${at}]` : at;
  const scheme = schemeOf(config) === 'https' ? 'https://' : '';
  return { shown: `${scheme}${name}:${port}`, options: { host: at, port } };
}

/** The certificate is for the public name, and cannot prove who listens on this machine. */
async function readiness(where: RequestOptions, tls: boolean): Promise<Readiness> {
  const options: RequestOptions = {
    ...where,
    path: '/readyz?verbose',
    agent: false,
    signal: signalAfter(ANSWER_MS),
    rejectUnauthorized: false,
  };
  const said = await new Promise<unknown>((resolve, reject) => {
    const req = (tls ? httpsRequest : httpRequest)(options, (res) =>
      json(res).then(resolve, reject),
    );
    req.once('error', reject).end();
  });
  if (typeof (said as Partial<Readiness> | null)?.parts !== 'object')
    throw new Error('it is another program');
  return said as Readiness;
}

function reasonOf(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError')
    return `no answer within ${ANSWER_MS / 1_000} s`;
  if (error instanceof SyntaxError) return 'it is another program';
  return code ?? message;
}

function findingOf(part: string, { state, since, reason }: PartSaid): Finding {
  const down = state === 'down';
  return {
    part,
    state: down ? 'down' : 'degraded',
    what: reason ?? 'the service cannot use it; the reason is in its log',
    since: Date.parse(since),
    affected: down ? 'every call' : 'the calls that need it',
    next: 'ws01 doctor',
  };
}
