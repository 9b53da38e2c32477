import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { messageOf } from './message.ts';
import { BUDGETS } from './sides/budgets.ts';
import { EVENTS } from './sides/events.ts';
import { MAIL } from './sides/mail.ts';
import { SERVICE } from './sides/service.ts';
import type { Sides, Variable } from './sides/sides.ts';
import { SMS } from './sides/sms.ts';
import { STORAGE } from './sides/storage.ts';
import { VALUES } from './sides/values.ts';

/** Every variable there is. */
const SIDES: Readonly<Record<Variable, Sides>> = {
  ...SERVICE,
  ...STORAGE,
  ...VALUES,
  ...BUDGETS,
  ...MAIL,
  ...SMS,
  ...EVENTS,
};

describe('each variable, on both sides', () => {
  for (const [variable, { property, takes, refuses, with: others }] of Object.entries(SIDES)) {
    test(variable, () => {
      for (const [text, value] of takes) {
        assert.deepEqual(loadConfig({ ...others, [variable]: text })[property], value, text);
      }
      for (const text of refuses) {
        const message = messageOf(variable, text);
        assert.match(message, /^[A-Z_]+ must be [^\n]+\.$/, text);
        assert.ok(message.startsWith(`${variable} must be `), message);
      }
    });
  }
});
