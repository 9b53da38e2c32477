import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import {
  createEndpoint,
  operation,
  ServiceError,
  service,
  string,
} from '../../../../asmx/src/index.ts';
import { temporaryFolder } from '../../../../asmx/test/kit/folder.ts';
import { exchange, postTo } from '../../../../asmx/test/kit/http.ts';
import { originOf } from '../../../../asmx/test/kit/listen.ts';
import { serve } from '../../../../asmx/test/values/kit.ts';
import { run } from '../../../src/from/cli/main.ts';

const Old = service('Old', {
  namespace: 'urn:old',
  operations: {
    Ask: operation({ input: { badge: string, p: string }, result: string }),
    Now: operation({ result: string }),
  },
});

/** A real service; `say` makes its answers. */
function serveOld(
  t: TestContext,
  say: (p: string | undefined) => string = (p) => `{"said":"${p}","at":"2030-01-01T00:00:00Z"}`,
) {
  const endpoint = createEndpoint(Old, {
    handlers: {
      Ask: ({ badge, p }) => {
        if (badge !== 'geheim-1')
          throw new ServiceError('InvalidParameter', 'The badge is wrong.', { parameter: 'badge' });
        return say(p);
      },
      Now: () => `${new Date().toISOString()} ${crypto.randomUUID()}`,
    },
    path: '/Old.asmx',
    baseUrl: () => 'http://localhost',
  });
  return serve(t, endpoint);
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process; `stop` ends one that goes on. */
function asmx(args: readonly string[]) {
  const stop = new AbortController();
  let [stdout, stderr] = ['', ''];
  let told = (_: string) => {};
  const firstRemark = new Promise<string>((resolve) => {
    told = resolve;
  });
  const ended: Promise<Ended> = run(args, {
    print: (text) => {
      stdout += text;
    },
    remark: (line) => {
      stderr += `${line}\n`;
      told(line);
    },
    environment: {},
    stop: stop.signal,
  }).then((code) => ({ code, stdout, stderr }));
  return { ended, firstRemark, stop: () => stop.abort() };
}

const LOCAL = ['--network', '127.0.0.0/8'];
const soap = (badge: string, p: string) =>
  `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><Ask xmlns="urn:old"><badge>${badge}</badge><p>${p}</p></Ask></soap:Body></soap:Envelope>`;

/** Records calls in each binding through the proxy. @returns the recording's file. */
async function recordCalls(t: TestContext, old: string): Promise<string> {
  const file = join(await temporaryFolder(t, 'asmx-traffic-'), 'traffic.jsonl');
  const recording = asmx([
    'record',
    file,
    '--to',
    old,
    '--port',
    '0',
    '--redact',
    'badge',
    ...LOCAL,
  ]);
  const proxy = /http:\/\/127\.0\.0\.1:\d+(?=;)/.exec(await recording.firstRemark)?.[0];
  assert.ok(proxy);
  const headers = {
    'content-type': 'text/xml; charset=utf-8',
    soapaction: '"urn:old/Ask"',
    authorization: 'Basic Z2VoZWlt',
  };
  const answer = await postTo(`${proxy}/Old.asmx`, soap('geheim-1', 'a'), headers);
  assert.match(answer.body, /{"said":"a"/);
  await exchange(`${proxy}/Old.asmx/Ask?badge=geheim-1&p=b`);
  await postTo(`${proxy}/Old.asmx/Ask`, 'badge=geheim-1&p=c', 'application/x-www-form-urlencoded');
  await postTo(`${proxy}/Old.asmx/Ask`, '{"badge":"geheim-1","p":"d"}', 'application/json');
  await exchange(`${proxy}/Old.asmx/Now`);
  recording.stop();
  assert.deepEqual(await recording.ended, {
    code: 0,
    stdout: `${file}: 5 exchanges.\n`,
    stderr: (await recording.ended).stderr,
  });
  return file;
}

async function secrets(t: TestContext): Promise<string[]> {
  const file = join(await temporaryFolder(t, 'asmx-traffic-'), 'secrets.json');
  await writeFile(file, '{"badge":"geheim-1"}');
  return ['--secrets', file];
}

describe('record', () => {
  test('keeps every binding without its secrets, for its owner alone', async (t) => {
    const file = await recordCalls(t, await serveOld(t));
    const written = await readFile(file, 'utf8');
    assert.doesNotMatch(written, /geheim|Z2VoZWlt/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const lines = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines[0].recording, 1);
    assert.deepEqual(
      lines.slice(1).map(({ operation, redacted, answer }) => [operation, redacted, answer.status]),
      [...new Array(4).fill(['Ask', ['badge'], 200]), ['Now', [], 200]],
    );
  });

  test('tells what it cannot do in one line', async (t) => {
    const folder = await temporaryFolder(t, 'asmx-traffic-');
    await writeFile(join(folder, 'there.jsonl'), 'mine');
    for (const [args, told] of [
      [
        ['there.jsonl', '--to', 'ftp://x'],
        '--to must be an http or https URL. See asmx record --help.\n',
      ],
      [
        ['new.jsonl', '--to', 'http://a:b@x'],
        '--to must not hold a user or password. See asmx record --help.\n',
      ],
      [
        ['new.jsonl', '--to', 'http://x', '--port', 'x'],
        '--port must be a number from 0 to 65535. See asmx record --help.\n',
      ],
      [
        ['new.jsonl', '--to', 'http://x', '--network', 'lan'],
        '--network: "lan" is not a network such as 10.0.0.0/8 or fd00::/8. See asmx record --help.\n',
      ],
    ] as const) {
      assert.deepEqual(await asmx(['record', join(folder, args[0]), ...args.slice(1)]).ended, {
        code: 2,
        stdout: '',
        stderr: told,
      });
    }
    const { code, stderr } = await asmx(['record', join(folder, 'there.jsonl'), '--to', 'http://x'])
      .ended;
    assert.equal(code, 1);
    assert.match(stderr, /there\.jsonl: EEXIST/);
    assert.equal(await readFile(join(folder, 'there.jsonl'), 'utf8'), 'mine');
  });

  test('answers 502 for a private network that is not listed', async (t) => {
    const file = join(await temporaryFolder(t, 'asmx-traffic-'), 'traffic.jsonl');
    const recording = asmx(['record', file, '--to', await serveOld(t), '--port', '0']);
    const proxy = /http:\/\/127\.0\.0\.1:\d+(?=;)/.exec(await recording.firstRemark)?.[0];
    const { status, body } = await exchange(`${proxy}/Old.asmx`);
    assert.deepEqual(
      [status, body],
      [502, '127.0.0.1 is in a private network that is not listed.\n'],
    );
    recording.stop();
    assert.equal((await recording.ended).stdout, `${file}: 1 exchanges, 1 without an answer.\n`);
  });
});

/** Replays a file. @param ours the new server. @param more options. */
const replay = (file: string, ours: string, ...more: readonly string[]) =>
  asmx(['replay', file, '--new', ours, ...more, ...LOCAL]).ended;

describe('replay', () => {
  test('finds a server that says the same the same, but for keys and times', async (t) => {
    const old = await serveOld(t);
    const file = await recordCalls(t, old);
    const again = await replay(file, await serveOld(t), ...(await secrets(t)));
    assert.deepEqual(again, {
      code: 0,
      stdout: '5 replayed: 5 the same, 0 different.\n',
      stderr: '',
    });
    const live = await replay(file, await serveOld(t), '--old', old, ...(await secrets(t)));
    assert.equal(live.code, 0, live.stdout);
  });

  test('counts differences by operation and cause', async (t) => {
    const file = await recordCalls(t, await serveOld(t));
    const other = await serveOld(t, (p) => `{"said":"${p}!","at":"2031-01-01T00:00:00Z"}`);
    const { code, stdout } = await replay(file, other, ...(await secrets(t)));
    assert.equal(code, 1);
    const lines = stdout.trim().split('\n');
    assert.equal(lines.at(-1), '5 replayed: 1 the same, 4 different.');
    assert.ok(
      lines.some((line) =>
        /^Ask: another value of string\.said: 2 times, first in line 3: b \| ours b!$/.test(line),
      ),
      stdout,
    );
    assert.ok(
      lines.some((line) =>
        /^Ask: another value of Envelope\/Body\/AskResponse\/AskResult\.said: 1 time/.test(line),
      ),
      stdout,
    );
    const down = await replay(file, 'http://127.0.0.1:1', '--only', 'Now', '--json');
    const report = JSON.parse(down.stdout);
    assert.deepEqual(
      [report.replayed, report.causes[0].cause, report.skipped['it is another operation']],
      [1, 'no answer', 4],
    );
  });

  test('skips what it lacks a secret for, and ends with 2 where nothing was replayed', async (t) => {
    const file = await recordCalls(t, await serveOld(t));
    const { code, stdout } = await replay(file, await serveOld(t), '--only', 'Ask');
    assert.equal(code, 2);
    assert.match(
      stdout,
      /note: 4 not replayed: the secret badge was taken out; give it with --secrets\n/,
    );
  });

  test('reads HAR and access logs, of which GET is replayed', async (t) => {
    const [old, ours, folder] = [
      await serveOld(t),
      await serveOld(t, () => 'other'),
      await temporaryFolder(t, 'asmx-traffic-'),
    ];
    const query = '/Old.asmx/Ask?badge=geheim-1&p=b';
    const answer =
      '<?xml version="1.0" encoding="utf-8"?>\r\n<string xmlns="urn:old">other</string>';
    const har = {
      log: {
        entries: [
          {
            startedDateTime: '2030-01-01T00:00:00Z',
            time: 12.5,
            request: {
              method: 'GET',
              url: `http://old.example${query}`,
              headers: [{ name: 'Accept', value: '*/*' }],
            },
            response: {
              status: 200,
              headers: [{ name: 'Content-Type', value: 'text/xml; charset=utf-8' }],
              content: { text: answer },
            },
          },
          {
            request: { method: 'POST', url: 'http://old.example/Old.asmx' },
            response: { status: 200 },
          },
        ],
      },
    };
    const files = {
      'traffic.har': JSON.stringify(har),
      'nginx.log': `1.2.3.4 - - [01/Jan/2030:00:00:00 +0000] "GET ${query} HTTP/1.1" 200 12 "-" "curl"\n1.2.3.4 - - [x] "POST /Old.asmx HTTP/1.1" 200 1 "-" "-"\nnonsense\n`,
      'iis.log': `#Software: Microsoft Internet Information Services 10.0\r\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port sc-status\r\n2030-01-01 00:00:00 ::1 GET ${query.replace('?', ' ')} 80 200\r\n`,
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, name), content);
    const replayed = (name: string, ...more: string[]) => replay(join(folder, name), ours, ...more);
    assert.deepEqual((await replayed('traffic.har')).stdout.split('\n'), [
      '1 replayed: 1 the same, 0 different.',
      'note: 1 not replayed: the body of the request is not in the HAR',
      '',
    ]);
    // Of a log only the status is known, unless the old server is asked.
    assert.deepEqual((await replayed('nginx.log')).stdout.split('\n'), [
      '1 replayed: 1 the same, 0 different.',
      'note: 1 not replayed: a log does not have the body of a POST',
      'note: 1 not replayed: the line has no request',
      '',
    ]);
    assert.equal((await replayed('iis.log')).code, 0);
    for (const log of ['nginx.log', 'iis.log'])
      assert.equal((await replayed(log, '--old', old)).code, 1);
  });

  test('takes qualified names with other prefixes for the same', async (t) => {
    const answers: readonly (readonly [old: string, ours: string, isSame: boolean])[] = [
      ['<r xmlns:a="urn:x">a:it</r>', '<r xmlns:b="urn:x">b:it</r>', true],
      ['<r xmlns:a="urn:x"><n of="a:it"/></r>', '<r><n xmlns:b="urn:x" of="b:it"/></r>', true],
      ['<r xmlns:a="urn:x">a:it a:at</r>', '<r xmlns:b="urn:x">b:it b:at</r>', true],
      ['<r xmlns="urn:x">it</r>', '<q:r xmlns:q="urn:x">q:it</q:r>', true],
      ['<r xmlns:a="urn:x">a:it</r>', '<r xmlns:b="urn:y">b:it</r>', false],
      ['<r xmlns:a="urn:x">a:it</r>', '<r xmlns:b="urn:x">b:at</r>', false],
      ['<r>a:it</r>', '<r>b:it</r>', false],
    ];
    const server = createServer((req, res) => {
      const [, ours] = answers[Number(req.url!.slice(2))]!;
      res.writeHead(200, { 'content-type': 'text/xml' }).end(ours);
    });
    const url = await originOf(t, server);
    const file = join(await temporaryFolder(t, 'asmx-traffic-'), 'names.har');
    for (const [index, [old, ours, isSame]] of answers.entries()) {
      const response = {
        status: 200,
        headers: [{ name: 'Content-Type', value: 'text/xml' }],
        content: { text: old },
      };
      const entry = {
        request: { method: 'GET', url: `http://old.example/?${index}`, headers: [] },
        response,
      };
      await writeFile(file, JSON.stringify({ log: { entries: [entry] } }));
      const { code, stdout } = await replay(file, url);
      assert.equal(code, isSame ? 0 : 1, `${old} | ${ours}: ${stdout}`);
    }
  });

  test('asks again what logs tell of text that is not ASCII, as the client sent it', async (t) => {
    const asked: string[] = [];
    const server = await serveOld(t, (p) => {
      asked.push(p ?? '');
      return 'x';
    });
    const folder = await temporaryFolder(t, 'asmx-traffic-');
    const agent = 'Mozilla/5.0+(Windows+NT+10.0;+Win64)';
    const fields =
      '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken';
    const iis = (method: string, stem: string, query: string) =>
      `2030-01-01 00:00:00 ::1 ${method} ${stem} ${query} 80 - 10.0.0.7 ${agent} - 200 0 0 15`;
    const lines = [
      '\ufeff#Software: Microsoft Internet Information Services 10.0',
      fields,
      iis('GET', '/Old.asmx/Ask', 'badge=geheim-1&p=a+b'),
      iis('GET', '/Old.asmx/Ask', 'badge=geheim-1&p=à两室'),
      iis('GET', '/Old.asmx/Now', '-'),
      iis('POST', '/Old.asmx', '-'),
      // It begins anew where IIS was started again, with the fields that are set by then.
      '#Software: Microsoft Internet Information Services 10.0',
      '#Fields: cs-uri-stem cs-uri-query cs-method sc-status',
      '/Old.asmx/Ask badge=geheim-1&p=%e4%b8%a4 GET 200',
      '/Old.asmx/Ask badge=geheim-1',
    ];
    const log = 'combined.log';
    await writeFile(join(folder, 'u_ex300101.log'), `${lines.join('\r\n')}\r\n`);
    await writeFile(
      join(folder, log),
      [
        String.raw`10.0.0.7 - ada [01/Jan/2030:00:00:00 +0000] "GET /Old.asmx/Ask?badge=geheim-1&p=\xE4\xB8\xA4\x22 HTTP/1.1" 200 12 "-" "Mozilla/5.0 (Windows NT 10.0)"`,
        String.raw`10.0.0.7 - - [01/Jan/2030:00:00:00 +0000] "GET /Old.asmx/Ask?badge=geheim-1&p=\"q\" HTTP/1.1" 200 12 "-" "-"`,
        String.raw`10.0.0.7 - - [01/Jan/2030:00:00:00 +0000] "\x16\x03\x01" 400 157 "-" "-"`,
        '',
      ].join('\n'),
    );
    const replayed = (name: string) => replay(join(folder, name), server);
    assert.deepEqual((await replayed('u_ex300101.log')).stdout.split('\n'), [
      '4 replayed: 4 the same, 0 different.',
      'note: 1 not replayed: a log does not have the body of a POST',
      'note: 1 not replayed: the line has no request',
      '',
    ]);
    assert.deepEqual((await replayed(log)).stdout.split('\n'), [
      '2 replayed: 2 the same, 0 different.',
      'note: 1 not replayed: the line has no request',
      '',
    ]);
    assert.deepEqual(asked, ['a b', 'à两室', '两', '两"', '"q"']);
  });

  test('tells what it cannot read in one line', async (t) => {
    const folder = await temporaryFolder(t, 'asmx-traffic-');
    await writeFile(join(folder, 'empty'), '');
    await writeFile(join(folder, 'other.json'), '{"log":{}}');
    for (const [name, told] of [
      ['gone', /gone: There is no such file\.\n$/],
      ['empty', /empty is empty\.\n$/],
      ['other.json', /other\.json is neither a recording nor HAR: it has no log\.entries\.\n$/],
    ] as const) {
      const { code, stderr } = await asmx(['replay', join(folder, name), '--new', 'http://x'])
        .ended;
      assert.equal(code, 2);
      assert.match(stderr, told);
    }
    const { code, stderr } = await asmx(['replay', 'x', '--new', 'http://x', '--mask', '(']).ended;
    assert.equal(code, 2);
    assert.match(stderr, /^--mask: Invalid regular expression/);
  });

  test('replays a query with a malformed escape as it came', async (t) => {
    const file = await recordCalls(t, await serveOld(t));
    const written = await readFile(file, 'utf8');
    await writeFile(file, written.replace('&p=b', '&p=b&%zz=***'));
    const { stdout } = await replay(file, await serveOld(t), ...(await secrets(t)));
    assert.equal(stdout, '5 replayed: 5 the same, 0 different.\n');
  });

  test('passes over lines that are no exchange or that HTTP cannot carry, and goes on', async (t) => {
    const file = await recordCalls(t, await serveOld(t));
    const [heading, first, ...rest] = (await readFile(file, 'utf8')).split('\n');
    const whole = JSON.parse(first!);
    const { request } = whole;
    const odd = [
      ...[null, 5, 'x', [], {}].map((value) => JSON.stringify(value)),
      ...[
        { redacted: [5] },
        { redacted: undefined },
        { operation: 5 },
        { answer: 5 },
        { request: null },
        { request: { ...request, headers: null } },
        { request: { ...request, headers: { a: 5 } } },
        { request: { headers: {} } },
        { request: { headers: {}, body: 5 } },
      ].map((change) => JSON.stringify({ ...whole, ...change })),
    ];
    const unsendable = [
      { target: '/a b' },
      { target: '/a\r\nX: y' },
      { target: '/两' },
      { method: 'A B' },
      { request: { ...request, headers: { 'a b': 'c' } } },
      { request: { ...request, headers: { a: 'b\r\nc: d' } } },
    ].map((change) => JSON.stringify({ ...whole, redacted: [], ...change }));
    await writeFile(file, [heading, first, ...odd, ...unsendable, ...rest].join('\n'));
    const ours = await serveOld(t);
    const { stdout } = await replay(file, ours, '--old', ours, ...(await secrets(t)));
    assert.match(stdout, /^5 replayed: 5 the same, 0 different\.$/m);
    assert.match(
      stdout,
      new RegExp(`${odd.length} not replayed: the line is not an exchange$`, 'm'),
    );
    const refused = stdout.match(/(\d) not replayed: the old server does not answer/g);
    assert.equal(
      refused?.reduce((sum, [count]) => sum + Number(count), 0),
      unsendable.length,
    );
  });

  test('takes a recording that was cut off as far as it goes', async (t) => {
    const file = await recordCalls(t, await serveOld(t));
    const written = await readFile(file);
    await writeFile(file, written.subarray(0, -20));
    const { stdout } = await replay(file, await serveOld(t), ...(await secrets(t)));
    assert.equal(
      stdout,
      '4 replayed: 4 the same, 0 different.\nnote: 1 not replayed: the line is not complete\n',
    );
  });
});
