import assert from 'node:assert/strict';
import { ConfigError, loadConfig } from '../../src/config/config.ts';

/** What a person is told of a text that a variable refuses. */
export function messageOf(variable: string, text: string): string {
  try {
    loadConfig({ [variable]: text });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  assert.fail(`${variable} took ${JSON.stringify(text)}`);
}
