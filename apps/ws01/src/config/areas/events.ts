import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const EVENTS = {
  webhookNetworks: setting({
    variable: 'WEBHOOK_NETWORKS',
    form: addresses.networks,
    without: 'none: only public addresses are connected to',
    documentation:
      'Private networks that [webhooks](webhooks.md) may be in; written as `TRUSTED_PROXIES`.',
  }),
  webhookRetryDays: setting({
    variable: 'WEBHOOK_RETRY_DAYS',
    form: forms.integer(1, 365),
    fallback: '7',
    documentation: 'Days that the delivery of an event to a webhook is retried.',
  }),
  eventsKeptDays: setting({
    variable: 'EVENTS_KEPT_DAYS',
    form: forms.integer(1, 3_650),
    fallback: '30',
    documentation:
      'Days that events are kept, for streams that resume and for retries of webhooks; at least `WEBHOOK_RETRY_DAYS`.',
  }),
} as const satisfies Record<string, Setting>;
