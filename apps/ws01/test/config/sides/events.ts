import type { Sides } from './sides.ts';

/** Whom events are told. */
export const EVENTS = {
  WEBHOOK_NETWORKS: {
    property: 'webhookNetworks',
    takes: [['10.0.0.0/8,::1', ['10.0.0.0/8', '::1/128']]],
    refuses: ['10.0.0.0/33', 'lan'],
  },
} as const satisfies Record<string, Sides>;
