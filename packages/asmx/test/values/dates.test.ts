import assert from 'node:assert/strict';
import { test } from 'node:test';
import { words } from '../../src/contract/words.ts';
import {
  array,
  createEndpoint,
  dateTime,
  instant,
  object,
  operation,
  service,
  wallClock,
} from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:dates';
const PATH = '/Dates.asmx';

const Dates = object('Dates', { date: dateTime, instant, text: wallClock });
const CONTRACT = service('Dates', {
  namespace: NS,
  operations: {
    Echo: operation({
      input: { one: dateTime, all: array(Dates) },
      result: array(Dates),
    }),
  },
});

/** The days that other systems have for "no date" are dates in a contract that does not say so. */
const DAYS = words('0001-01-01 1753-01-01 1899-12-30 1899-12-31 1900-01-01 1970-01-01 9999-12-31');

test('each date of the calendar is given to the handler and answered, in each of its forms', async (t) => {
  let one: Date | undefined;
  const url = await serve(
    t,
    createEndpoint(CONTRACT, {
      path: PATH,
      handlers: {
        Echo: (input) => {
          one = input.one;
          return input.all;
        },
      },
    }),
  );
  for (const day of DAYS) {
    for (const time of ['T00:00:00Z', 'T00:00:01Z', 'T12:34:56.789Z', 'T23:59:59Z']) {
      const written = day + time;
      const dates = `<Dates><date>${written}</date><instant>${written}</instant><text>${written}</text></Dates>`;
      const body = `<Echo xmlns="${NS}"><one>${written}</one><all>${dates}</all></Echo>`;
      const answer = await soap(`${url}${PATH}`, body, { action: `${NS}/Echo` });
      assert.equal(
        answer.body,
        `<EchoResponse xmlns="${NS}"><EchoResult>${dates}</EchoResult></EchoResponse>`,
      );
      assert.equal(one?.getTime(), Date.parse(written));
    }
  }
});

test('only the dates that a parameter of the contract names mean "not given", and only there', async (t) => {
  const parameter = { type: 'dateTime', documentation: '', sample: '' } as const;
  const seen: unknown[] = [];
  const data = {
    name: 'Dates',
    namespace: NS,
    documentation: '',
    operations: [
      {
        name: 'Tell',
        documentation: '',
        parameters: [
          { ...parameter, name: 'old', notGiven: ['1900-01-01T00:00:00', '1753-01-01'] },
          { ...parameter, name: 'plain' },
        ],
        result: 'string',
      },
    ],
  } as const;
  const Tell = ({ old, plain }: { old?: number; plain?: number }) => {
    seen.push(old, plain);
    return '';
  };
  const url = await serve(t, createEndpoint(data, { path: PATH, handlers: { Tell } as never }));
  const cases = [
    ['1900-01-01T00:00:00', true],
    ['1753-01-01T07:08:09Z', true],
    ['1900-01-01T00:00:01', false],
    ['0001-01-01T00:00:00', false],
  ] as const;
  for (const [written, isNone] of cases) {
    const given = Date.parse(written.endsWith('Z') ? written : `${written}Z`);
    const expected = [isNone ? undefined : given, given];
    const body = `<Tell xmlns="${NS}"><old>${written}</old><plain>${written}</plain></Tell>`;
    assert.equal((await soap(`${url}${PATH}`, body, { action: `${NS}/Tell` })).status, 200);
    await fetch(`${url}${PATH}/Tell?old=${written}&plain=${written}`);
    await fetch(`${url}${PATH}/Tell`, jsonRequest({ old: written, plain: written }));
    assert.deepEqual(seen.splice(0), [...expected, ...expected, ...expected], written);
  }
});
