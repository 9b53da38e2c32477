import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { pino } from 'pino';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { WS01 } from '../../src/contract/service.ts';
import { accessLog } from '../../src/web/access-log.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';

const SECRET = 'SECRET-7f3a';

describe('the log', () => {
  it('has no value of a request, readable or not, in any binding, and calls no client fault a warning', async (test) => {
    const { log, lines, text } = keptLog();
    const { url } = await startService(
      test,
      await freshDatabase('sqlite', test),
      { RATE_LIMITS: 'off' },
      log,
    );
    let calls = 0;
    for (const { name, parameters } of WS01.operations) {
      for (const credential of [SECRET, TOKEN]) {
        const params = Object.fromEntries(
          parameters.map((parameter) => [
            parameter.name,
            'secret' in parameter ? credential : SECRET,
          ]),
        );
        for (const binding of TEST_BINDINGS) {
          await binding.call(url, name, params);
          calls++;
        }
      }
    }
    const broken = [
      `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${SECRET}>`,
      `<${SECRET} &${SECRET};`,
      `<a ${SECRET}="${SECRET}" ${SECRET}="">`,
    ];
    for (const body of broken) {
      await postTo(`${url}/WS01.asmx`, body, 'text/xml');
      calls++;
    }
    assert.equal(lines.filter(({ msg }) => msg === 'answered').length, calls);
    assert.ok(
      !text().includes(SECRET),
      lines.find((line) => JSON.stringify(line).includes(SECRET)) as never,
    );
    assert.ok(!text().includes(TOKEN));
    const loud = lines.filter(({ level }) => (level as number) > 30);
    assert.deepEqual(loud, []);
  });

  it('says by its level whose fault it was, whatever the status', () => {
    const levels: (readonly [number, boolean])[] = [];
    const log = pino(
      {},
      {
        write(line: string) {
          const { level, err } = JSON.parse(line) as { level: number; err?: unknown };
          levels.push([level, err !== undefined]);
        },
      },
    );
    const answered = accessLog({ log, slowMs: 0, most: undefined });
    const record = {
      requestId: 'r',
      operation: 'o',
      binding: 'soap11',
      method: 'POST',
      durationMs: 1,
      address: 'a',
      warnings: [],
      phases: { waitMs: 0, readMs: 0, authorizeMs: 0, invokeMs: 0, writeMs: 0 },
      tokenId: undefined,
      user: undefined,
      parameter: undefined,
      reason: undefined,
    };
    const cause = new Error('the cause');
    answered({ ...record, status: 200, error: undefined, side: undefined, cause: undefined });
    answered({ ...record, status: 500, error: 'InvalidParameter', side: 'client', cause });
    answered({ ...record, status: 503, error: 'Busy', side: 'server', cause: undefined });
    answered({ ...record, status: 500, error: 'Internal', side: 'server', cause });
    assert.deepEqual(levels, [
      [30, false],
      [30, false],
      [40, false],
      [50, true],
    ]);

    // Where lines are limited, so are warnings by an eighth of that, and errors never.
    levels.length = 0;
    const few = accessLog({ log, slowMs: 0, most: { limit: 16, window: HOUR_MS } });
    for (let call = 0; call < 50; call++) {
      few({ ...record, status: 200, error: undefined, side: undefined, cause: undefined });
      few({ ...record, status: 503, error: 'Busy', side: 'server', cause: undefined });
      few({ ...record, status: 500, error: 'Internal', side: 'server', cause });
    }
    const told = (level: number) => levels.filter(([one]) => one === level).length;
    assert.deepEqual([told(30), told(40), told(50)], [16, 2, 50]);
  });
});
