import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { loadConfig } from '../../src/config/config.ts';
import type { Setting } from '../../src/config/setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { redactUrl } from '../../src/config/shown.ts';
import { messageOf } from './message.ts';

describe('what a message shows', () => {
  test('the value that is wrong, shortened', () => {
    assert.ok(messageOf('PORT', 'http').endsWith(', not "http".'));
    assert.ok(messageOf('TIME_ZONE', 'a\nb').endsWith(', not "a\\nb".'));
    assert.ok(messageOf('TIME_ZONE', 'x'.repeat(9_999)).length < 300);
  });

  test('of a URL with secrets no more than scheme and host', () => {
    assert.ok(
      messageOf('DATABASE_URL', 'mysql://ada:hush@db.example:1/x?password=hush').endsWith(
        'not mysql://db.example:1.',
      ),
    );
    assert.equal(
      redactUrl('https://hooks.example.com/services/hush?key=hush'),
      'https://hooks.example.com',
    );
    assert.equal(redactUrl('hush'), '');
  });

  test('never anything of a secret, whatever is written', () => {
    const secrets = Object.values(SETTINGS as Record<string, Setting>).filter(
      ({ secret }) => secret !== undefined,
    );
    const shapes = [
      (word: string) => word,
      (word: string) => `x://user:${word}@host/`,
      (word: string) => `x://${word}@host/`,
      (word: string) => `x://host/${word}?a=${word}#${word}`,
      (word: string) => `${word} x`,
    ];
    const hush = fc.stringMatching(/^hush[a-z0-9]{4,20}$/);
    fc.assert(
      fc.property(
        hush,
        fc.constantFrom(...shapes),
        fc.constantFrom(...secrets),
        (word, shape, { variable }) => {
          try {
            loadConfig({ [variable]: shape(word) });
          } catch (error) {
            assert.ok(!String(error).includes(word), String(error));
          }
        },
      ),
    );
  });
});
