import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const RUNNING = {
  workers: setting({
    variable: 'WORKERS',
    form: forms.workers,
    fallback: '1',
    documentation:
      'Number of processes that serve calls on this machine, see [cores](deployment.md#cores). More than 1 needs `DATABASE_URL`. `auto` is one for each core that the service may use, and 1 without `DATABASE_URL`.',
  }),
  drainSeconds: setting({
    variable: 'DRAIN_SECONDS',
    form: forms.integer(0, 3_600),
    fallback: '0',
    documentation:
      'At a stop: how long calls are still served while `/readyz` answers 503, so that a load balancer removes the node first.',
  }),
  fastPath: setting({
    variable: 'FAST_PATH',
    form: forms.toggle,
    fallback: 'on',
    documentation:
      '`off` answers every call on the general path, to find out whether a fast path causes a problem. Answers are the same, for more CPU time.',
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    form: forms.word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'info',
    documentation: 'Lowest level that is logged: `trace debug info warn error fatal`, or `silent`.',
  }),
  metricsPort: setting({
    variable: 'METRICS_PORT',
    form: forms.integer(0, 65_535),
    without: 'none: nothing is measured',
    documentation:
      'Port that serves metrics for Prometheus at `/metrics`; `0` takes a free one, which the log names.',
  }),
  metricsHost: setting({
    variable: 'METRICS_HOST',
    form: addresses.host,
    fallback: '127.0.0.1',
    documentation:
      'Address to listen on for `METRICS_PORT`. Metrics show how a service is used; do not make them public.',
  }),
} as const satisfies Record<string, Setting>;
