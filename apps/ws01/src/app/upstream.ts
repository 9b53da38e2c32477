import type { Endpoint } from '@ws01/asmx';
import {
  type Passed,
  passThrough,
  UPSTREAM_ANSWER_BYTES,
  UPSTREAM_TIMEOUT_MS,
  Upstream,
} from '@ws01/asmx/node';
import { WS01 } from '../contract/service.ts';
import { LATENCIES } from '../web/metrics/metrics.ts';
import { createRequestIds } from '../web/request-ids.ts';
import type { ResourceDeps } from './resources.ts';

const OWN: ReadonlySet<string> = new Set(WS01.operations.map(({ name }) => name));

/**
 * Puts the replaced server behind the endpoint: operations that this service does not have, and
 * those in `UPSTREAM_OPERATIONS`, are forwarded. Returns the endpoint itself without an upstream
 * server.
 */
export function withUpstream(
  endpoint: Endpoint,
  { config, log, metrics, traces, addresses }: ResourceDeps,
): Endpoint {
  const { upstreamUrl, upstreamOperations } = config;
  if (upstreamUrl === undefined) return endpoint;
  const url = new URL(upstreamUrl);
  const requestIds = createRequestIds(addresses.trustsProxy);
  const upstream = new Upstream({
    url,
    // The operator names the server, not a caller.
    networks: undefined,
    timeoutMs: UPSTREAM_TIMEOUT_MS,
    answerBytes: UPSTREAM_ANSWER_BYTES,
  });
  const { request } = passThrough(endpoint, {
    upstream,
    upstreamPath: url.pathname.replace(/\/$/, ''),
    paths: config.servicePaths,
    answers: (operation) => OWN.has(operation) && upstreamOperations?.has(operation) !== true,
    requestBytes: config.maxRequestBytes,
    calls: config.maxCalls,
    clientAddress: addresses.clientAddress,
    identify: (request) => {
      traces.begin(request);
      const traceparent = traces.traceparentOf(request);
      return {
        'x-request-id': requestIds(request),
        ...(traceparent === undefined ? {} : { traceparent }),
      };
    },
    onPassed: createPassedOn({ log, metrics, traces }),
  });
  return { ...endpoint, request };
}

/** Measures and logs the calls that were passed on. */
function createPassedOn({
  log,
  metrics,
  traces,
}: Pick<ResourceDeps, 'log' | 'metrics' | 'traces'>): (call: Passed) => void {
  const observe = metrics?.observe({
    name: 'ws01_upstream_duration_seconds',
    help: 'Calls that were passed on to UPSTREAM_URL, by the class of their status; 502 without an answer is none.',
    labels: ['status'],
    buckets: LATENCIES,
  });
  return ({ asked, operation, status, durationMs, identity, error }) => {
    observe?.(durationMs / 1_000, {
      status: error === undefined ? `${Math.floor(status / 100)}xx` : 'none',
    });
    traces.end(asked, () => ({
      name: 'passed on',
      durationMs,
      attributes: {
        'http.response.status_code': status,
        'ws01.request_id': identity['x-request-id'],
      },
      failure: error === undefined ? undefined : 'no answer',
    }));
    const fields = {
      requestId: identity['x-request-id'],
      operation,
      status,
      ms: Math.round(durationMs),
    };
    if (error === undefined) log.info(fields, 'passed on');
    else log.warn({ ...fields, reason: error.message }, 'passed on without an answer');
  };
}
