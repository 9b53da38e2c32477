import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const RUNNING = {
  workers: setting({
    variable: 'WORKERS',
    form: forms.integer(1, 256),
    fallback: '1',
    documentation:
      'Processes that serve calls on this machine, see [cores](deployment.md#cores). More than 1 needs `DATABASE_URL`.',
  }),
  workerTimeoutSeconds: setting({
    variable: 'WORKER_TIMEOUT_SECONDS',
    form: forms.integer(2, 3_600),
    fallback: '30',
    documentation: 'A worker that hangs for so long is killed and replaced.',
  }),
  drainSeconds: setting({
    variable: 'DRAIN_SECONDS',
    form: forms.integer(0, 3_600),
    fallback: '0',
    documentation:
      'When stopping: how long calls are still served while `/readyz` says 503, so that a balancer takes the node out first.',
  }),
  fastPath: setting({
    variable: 'FAST_PATH',
    form: forms.toggle,
    fallback: 'on',
    documentation:
      '`off` answers every call on the general path: the same answers for more CPU time. To find out whether a fast path is at fault.',
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    form: forms.word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'info',
    documentation: 'Least severe level that is logged: `trace debug info warn error fatal`, or `silent`.',
  }),
  logCalls: setting({
    variable: 'LOG_CALLS',
    form: forms.logCalls,
    without: '`8000/30s` where the log goes to journald, whose own limit drops errors, too; else `off`',
    documentation:
      'Lines of calls that went well, or failed by the client’s fault, at most, and an eighth as many warnings; others are only counted. Errors are always written. `off` for no limit, but for calls that were told `Busy`: of them 1,000 in 30 s at most.',
  }),
  slowCallMs: setting({
    variable: 'SLOW_CALL_MS',
    form: forms.integer(0, 600_000),
    fallback: '2000',
    documentation:
      'A call that takes longer, the arrival of its request not counted, gets a line of its own in the log that says where the time went; ms. `0` for none.',
  }),
  metricsPort: setting({
    variable: 'METRICS_PORT',
    form: forms.integer(0, 65_535),
    without: 'none: nothing is measured',
    documentation:
      'Serves metrics for Prometheus at `/metrics` on this port; `0` takes a free one, which the log names.',
  }),
  metricsHost: setting({
    variable: 'METRICS_HOST',
    form: forms.host,
    fallback: '127.0.0.1',
    documentation: 'Where `METRICS_PORT` listens. Metrics tell how a service is used; keep them from the world.',
  }),
} as const satisfies Record<string, Setting>;
