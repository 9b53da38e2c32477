import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { assertWithin } from '../../../../asmx/test/kit/growth.ts';
import { exchange } from '../../../../asmx/test/kit/http.ts';
import { listen, originOf } from '../../../../asmx/test/kit/listen.ts';
import { run } from '../../../src/from/cli/main.ts';
import { place } from '../kit/command.ts';

const BACKSLASHED = "\\'";
const XML = 'text/xml; charset=utf-8';
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json; charset=utf-8';
const enveloped = (body: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`;

interface Call {
  readonly target?: string;
  readonly type?: string;
  readonly body?: string;
  /** Default: `<a/>`. */
  readonly answer?: string | undefined;
  readonly answerType?: string;
  readonly location?: string;
}

/** An old server that answers what each call says. @returns the recording of the calls, as text. */
async function recorded(t: TestContext, calls: readonly Call[], ...options: readonly string[]) {
  const answers = [...calls];
  const old = createServer((request, response) => {
    request.resume().on('end', () => {
      const { answer = '<a/>', answerType = XML, location } = answers.shift()!;
      response
        .writeHead(200, { 'content-type': answerType, ...(location && { location }) })
        .end(answer);
    });
  });
  const port = await listen(t, old);
  const file = join(await place(t), 'traffic.jsonl');
  const stop = new AbortController();
  let started = (_: string) => {};
  const listening = new Promise<string>((resolve) => {
    started = resolve;
  });
  const to = `http://127.0.0.1:${port}`;
  const ended = run(
    ['record', file, '--to', to, '--port', '0', '--network', '127.0.0.0/8', ...options],
    {
      print: () => {},
      remark: (line) => started(line),
      environment: {},
      stop: stop.signal,
    },
  );
  const proxy = /http:\/\/127\.0\.0\.1:\d+(?=;)/.exec(await listening)?.[0];
  for (const { target = '/Old.asmx', type = XML, body, answer = '<a/>' } of calls) {
    const isPost = body !== undefined;
    const got = await exchange(`${proxy}${target}`, {
      method: isPost ? 'POST' : 'GET',
      ...(isPost && { headers: { 'content-type': type }, body }),
    });
    assert.equal(got.body, answer, 'what the client gets has everything');
  }
  stop.abort();
  assert.equal(await ended, 0);
  return { file, text: await readFile(file, 'utf8') };
}

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));

describe('a recording holds no secret', () => {
  test('of a sign-in whose ticket comes again, in whatever place', async (t) => {
    const ticket = '{0A1B-57f3-TICKET}';
    const { text } = await recorded(t, [
      {
        body: enveloped(
          '<authenticate xmlns="u"><strUserName>ann</strUserName><strPassword>hunter2!</strPassword></authenticate>',
        ),
        answer: enveloped(
          `<authenticateResponse xmlns="u"><authenticateResult><string>${ticket}</string><string>company</string></authenticateResult></authenticateResponse>`,
        ),
      },
      {
        body: enveloped(`<sendRequest xmlns="u"><a>${ticket}</a><n>7</n></sendRequest>`),
        answer: enveloped(
          `<sendRequestResponse xmlns="u"><sendRequestResult>no such ${ticket}</sendRequestResult></sendRequestResponse>`,
        ),
      },
      {
        target: `/Old.asmx/Close?x=${encodeURIComponent(ticket)}`,
        answer: '<string xmlns="u">OK</string>',
      },
    ]);
    assert.doesNotMatch(text, /hunter2|0A1B-57f3|TICKET/);
    // What is none stays, so that a replay has something to compare.
    assert.match(text, /<strUserName>ann</);
    assert.match(text, /<n>7</);
    assert.match(text, /no such \*\*\*/);
    assert.deepEqual(
      lines(text).map(({ redacted, answer }) => [redacted, answer.redacted]),
      [
        [['strPassword'], ['string']],
        [['string'], ['string']],
        [['string'], []],
      ],
    );
  });

  const soap = (body: string, answer?: string): Call => ({ body: enveloped(body), answer });
  const signedIn = (body: string, answer: string) => soap(body, enveloped(answer));
  const posted = (type: string, body: string, more: Partial<Call> = {}): Call => ({
    target: '/Old.asmx/Ask',
    type,
    body,
    ...more,
  });
  const json = (body: string, answer: string, target = '/Old.asmx/Ask') =>
    posted(JSON_TYPE, body, { target, answer, answerType: JSON_TYPE });
  for (const [what, call] of Object.entries({
    'a result over SOAP': signedIn(
      '<Login xmlns="u"/>',
      '<LoginResponse xmlns="u"><LoginResult>s3cr3t-v</LoginResult></LoginResponse>',
    ),
    'a result of RPC': signedIn(
      '<m:Logon xmlns:m="u"/>',
      '<m:LogonResponse xmlns:m="u"><return>s3cr3t-v</return></m:LogonResponse>',
    ),
    'a result over GET': {
      target: '/Old.asmx/GetSessionToken?u=1',
      answer: '<?xml version="1.0"?><string xmlns="u">s3cr3t-v</string>',
    },
    'a result in JSON': json('{"user":"ann"}', '{"d":"s3cr3t-v"}', '/Old.asmx/SignIn'),
    'a member of a result in JSON': json(
      '{}',
      '{"d":{"list":[{"auth":{"accessToken":"s3cr3t-v"}}]}}',
    ),
    'a member at depth': soap(
      '<Ask xmlns="u"><a><b><c><ClientSecret>s3cr3t-v</ClientSecret></c></b></a></Ask>',
    ),
    'what holds credentials': soap(
      '<Ask xmlns="u"><UserCredentials><Name>n</Name><Word>s3cr3t-v</Word></UserCredentials></Ask>',
    ),
    'a SOAP header': {
      body: '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><Auth xmlns="u"><UserPwd>s3cr3t-v</UserPwd></Auth></s:Header><s:Body/></s:Envelope>',
    },
    'an attribute': soap('<Ask xmlns="u" api_key="s3cr3t-v"/>'),
    'an element that says it in an attribute': soap(
      '<Ask xmlns="u"><Token value="s3cr3t-v"/></Ask>',
    ),
    'a query': { target: '/Old.asmx/Ask?strPassword=s3cr3t-v' },
    'a form': posted(FORM, 'a=1&txtUserPwd=s3cr3t-v'),
    'XML in a text': soap(
      '<Ask xmlns="u"><x>&lt;r&gt;&lt;Password&gt;s3cr3t-v&lt;/Password&gt;&lt;/r&gt;</x></Ask>',
    ),
    'XML in CDATA': soap('<Ask xmlns="u"><x><![CDATA[<r pwd="s3cr3t-v"/>]]></x></Ask>'),
    'JSON in a text': soap('<Ask xmlns="u"><x>{"session_id":"s3cr3t-v"}</x></Ask>'),
    'XML in a form': posted(FORM, `x=${encodeURIComponent('<r><pin>s3cr3t-v</pin></r>')}`),
    'a redirect': {
      target: '/Old.asmx/Ask?a=1',
      location: 'http://old/next?sessionId=s3cr3t-v',
    },
    'a number': posted(JSON_TYPE, '{"pin":31415926}', { answer: '<a>31415926</a>' }),
  } satisfies Readonly<Record<string, Call>>)) {
    test(`of ${what}`, async (t) => {
      const { text } = await recorded(t, [call]);
      assert.doesNotMatch(text, /s3cr3t|31415926/);
      assert.match(text, /\*\*\*/);
    });
  }

  test('of what a person named, by either option', async (t) => {
    for (const option of ['--secret', '--redact']) {
      const calls = [
        {
          body: enveloped('<Ask xmlns="u"><Customer>KN-4711-0815</Customer><y>kept</y></Ask>'),
          answer: enveloped(
            '<AskResponse xmlns="u"><AskResult><who>KN-4711-0815</who></AskResult></AskResponse>',
          ),
        },
      ];
      const { text } = await recorded(t, calls, option, 'customer');
      assert.doesNotMatch(text, /KN-4711/);
      assert.match(text, /kept/);
    }
  });

  test('codes and yes or no are no secrets', async (t) => {
    const { text } = await recorded(t, [
      {
        body: enveloped('<Login xmlns="u"><rememberPassword>true</rememberPassword></Login>'),
        answer: enveloped('<LoginResponse xmlns="u"><LoginResult>-1</LoginResult></LoginResponse>'),
      },
    ]);
    assert.deepEqual(lines(text)[0].redacted, []);
    assert.match(text, /<LoginResult>-1</);
  });

  test('and is made in time that grows with what is recorded', async () => {
    const { Secrets } = await import('../../../src/from/traffic/redact.ts');
    const { withoutSecrets } = await import('../../../src/from/traffic/keep-exchange.ts');
    const scan = (type: string, text: string) => {
      const body = { text };
      const request = { headers: { 'content-type': type }, body };
      const secrets = new Secrets([]);
      for (let count = 0; count < 200; count++) secrets.known.add(`known-${count}-value`, 'a');
      const line = { at: '', durationMs: 0, method: 'POST', target: '/', operation: 'A' };
      withoutSecrets({ ...line, redacted: [], request, answer: undefined }, secrets);
    };
    for (const [type, make] of [
      [XML, (n: number) => '<a b="1">'.repeat(n)],
      [XML, (n: number) => `<password>${'<c>'.repeat(n)}`],
      [XML, (n: number) => `<a ${'b '.repeat(n)}>`],
      [XML, (n: number) => `<a>${'&lt;'.repeat(n)}</a>`],
      [XML, (n: number) => '<![CDATA['.repeat(n)],
      [XML, (n: number) => '<!--'.repeat(n)],
      [FORM, (n: number) => 'a=1&'.repeat(n)],
      [JSON_TYPE, (n: number) => 'a'.repeat(10 * n)],
      [JSON_TYPE, (n: number) => `{a:'${BACKSLASHED.repeat(n)}`],
      [JSON_TYPE, (n: number) => `[${'{"a":"<b>"},'.repeat(n)}1]`],
      [XML, (n: number) => 'known-1'.repeat(n)],
    ] as const) {
      const [small, large] = [make(10_000), make(80_000)];
      await assertWithin(
        24,
        () => scan(type, large),
        () => scan(type, small),
      );
    }
  });
});

describe('what is no secret', () => {
  /** Replays a recording against a server that answers what is given, in this order. */
  async function replayed(t: TestContext, file: string, given: readonly string[]) {
    const answers = [...given];
    const ours = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': XML }).end(answers.shift()!);
      });
    });
    const secrets = join(await place(t), 'secrets.json');
    await writeFile(secrets, '{"Password":"geheim-hunter2","username":"ann"}');
    const url = await originOf(t, ours);
    let printed = '';
    const code = await run(
      ['replay', file, '--new', url, '--secrets', secrets, '--network', '127.0.0.0/8'],
      {
        print: (text) => {
          printed += text;
        },
        remark: () => {},
        environment: {},
        stop: new AbortController().signal,
      },
    );
    return { code, printed };
  }

  test('is kept, though its operation or a value beside it is called like one', async (t) => {
    const credentials = '<UserName>ann</UserName><Password>geheim-hunter2</Password>';
    const report = '<Path>/Sales/Years</Path><Parameter><Name>Region</Name></Parameter>';
    const listed = (names: readonly string[]) =>
      enveloped(
        `<ListResponse>${names.map((name) => `<Name>${name}</Name>`).join('')}</ListResponse>`,
      );
    const calls = [
      {
        body: enveloped(`<SetCredentials>${credentials}</SetCredentials>`),
        answer: enveloped(
          `<SetCredentialsResponse><info>${report}</info></SetCredentialsResponse>`,
        ),
      },
      { body: enveloped('<List/>'), answer: listed(['Region', 'of geheim-hunter2!', 'Calendar']) },
      {
        body: enveloped('<GetPassword/>'),
        answer: enveloped('<GetPasswordResponse><given>geheim-7788</given></GetPasswordResponse>'),
      },
    ];
    const { file, text } = await recorded(t, calls);
    assert.doesNotMatch(text, /geheim/);
    assert.ok(text.includes(report), text);
    const again = calls.map(({ answer }) => answer);
    assert.deepEqual(await replayed(t, file, again), {
      code: 0,
      printed: '3 replayed: 3 the same, 0 different.\n',
    });
    const [first, , third] = again;
    for (const [names, said] of [
      [['Region', 'of geheim-hunter2!', 'Diary'], /Name\[\]: 1 time.*: Calendar \| ours Diary/],
      [['Region', 'of !', 'Calendar'], /: of \*\*\*! \| ours \*\*\*$/m],
      [['Region', 'of geheim-hunter2?', 'Calendar'], /: of \*\*\*! \| ours \*\*\*$/m],
    ] as const) {
      const { code, printed } = await replayed(t, file, [first!, listed(names), third!]);
      assert.equal(code, 1);
      assert.match(printed, said);
      assert.doesNotMatch(printed, /geheim/);
      assert.match(printed, /3 replayed: 2 the same, 1 different/);
    }
  });
});
