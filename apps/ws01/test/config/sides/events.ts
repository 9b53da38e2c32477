import type { Sides } from './sides.ts';

/** Whom events are told. */
export const EVENTS = {
  WEBHOOK_NETWORKS: {
    property: 'webhookNetworks',
    takes: [['10.0.0.0/8,::1', ['10.0.0.0/8', '::1/128']]],
    refuses: ['10.0.0.0/33', 'lan'],
  },
  WEBHOOK_RETRY_DAYS: {
    property: 'webhookRetryDays',
    with: { EVENTS_KEPT_DAYS: '365' },
    takes: [
      ['1', 1],
      ['365', 365],
    ],
    refuses: ['0', '366', '1.5'],
  },
  EVENTS_KEPT_DAYS: {
    property: 'eventsKeptDays',
    with: { WEBHOOK_RETRY_DAYS: '1' },
    takes: [
      ['1', 1],
      ['3650', 3_650],
    ],
    refuses: ['0', '3651', 'forever'],
  },
} as const satisfies Record<string, Sides>;
