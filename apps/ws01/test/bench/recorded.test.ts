import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEndpoint } from '@ws01/asmx';
import { type FastPath, fastPath } from '@ws01/asmx/fast';
import { recordedCalls } from '../../../../bench/kit/workloads/recorded.ts';
import { ask } from '../../../../packages/asmx/test/kit/ask.ts';
import { readRequestHead } from '../../../../packages/fast-http/src/request-head.ts';
import { WS01 } from '../../src/contract/service.ts';
import { echoHandlers } from '../kit/echo-handlers.ts';
import { NAMESPACE } from '../kit/names.ts';

/** What types its values, `xsi:type`, is for the general reader. */
const TYPED = [
  'java-axis InsertArticle',
  'perl-soap-lite InsertArticle',
  'perl-soap-lite countUserPosted',
];

let envelopesRead = 0;
const counting: FastPath = {
  ...fastPath,
  readEnvelope: (...given) => {
    const call = fastPath.readEnvelope(...given);
    if (call !== undefined) envelopesRead++;
    return call;
  },
};

const endpoint = createEndpoint(WS01, {
  handlers: echoHandlers(),
  namespace: NAMESPACE,
  path: '/WS01.asmx',
  baseUrl: () => 'http://localhost',
  authorize: () => undefined,
  fastPath: counting,
});

describe('what clients of other makes were recorded to send', () => {
  for (const { client, operation, request } of recordedCalls()) {
    const name = `${client} ${operation}`;
    const way = TYPED.includes(name) ? 'the general reader' : 'the fast reader of envelopes';
    it(`${name} is understood, by ${way}`, async () => {
      const before = envelopesRead;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([header, value]) => [header.toLowerCase(), value]),
      );
      const answer = await ask(endpoint, { target: request.path, headers, body: request.body });
      assert.equal(answer.status, 200);
      assert.match(String(answer.body), new RegExp(`"op":"${operation}"`));
      assert.equal(envelopesRead - before, TYPED.includes(name) ? 0 : 1);
    });
  }

  it('has heads that the fast path reads', () => {
    for (const { client, request } of recordedCalls()) {
      const lines = Object.entries({ Host: 'x', ...request.headers, 'Content-Length': '1' });
      const text = `POST ${request.path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
      const head = readRequestHead(Buffer.from(text), undefined);
      assert.equal(head?.section.expects, /^(?:dotnet|wcf)/.test(client), client);
    }
  });
});
