import * as addresses from '../address-forms.ts';
import { type Setting, setting } from '../setting.ts';

export const EVENTS = {
  webhookNetworks: setting({
    variable: 'WEBHOOK_NETWORKS',
    form: addresses.networks,
    without: 'none: only public addresses are connected to',
    documentation:
      'Private networks that [webhooks](webhooks.md) may be in; written as `TRUSTED_PROXIES`.',
  }),
} as const satisfies Record<string, Setting>;
