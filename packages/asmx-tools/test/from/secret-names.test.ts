import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { words } from '../../../asmx/src/contract/words.ts';
import { run } from '../../src/from/cli/main.ts';
import { answersSecret, looksSecret } from '../../src/from/secret-names.ts';
import { place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';

describe('names of secrets', () => {
  test('are judged by the words in them', () => {
    for (const name of words(
      'password strPassword szPassWd UserPwd user_password2 NEW-PASSWORD passwd ftpUserPass',
      'clientSecret securityToken authToken access_token TokenId ticket wcTicket ticketId',
      'sessionId SESSIONID session_key strSessionID ASP.NET_SessionId apiKey API_KEY apikey',
      'licenseKey LicenceKey privateKey pin userPin PIN_CODE credential UserCredentials',
      'signature SignatureValue nonce jwt cookie authCode strpassword X-Auth-Token otp',
    ))
      assert.ok(looksSecret(name), name);
    for (const name of words(
      'user userName passenger shipping secretary key code opinion spin compass author',
      'TicketPrice sessionList tokenCount passwordLength sessionCount passThrough keyword',
      'orderId status',
    ))
      assert.ok(!looksSecret(name), name);
    for (const name of words(
      'Login UserLogOn SignIn authenticate OpenSession GetToken create_session',
    ))
      assert.ok(answersSecret(name), name);
    for (const name of ['GetOrders', 'Logout', 'ListSessions', 'GetAuthor', 'Sign'])
      assert.ok(!answersSecret(name), name);
  });
});

describe('a project of an old WSDL', () => {
  test('marks as secret what its names say, and what a person says', async (t) => {
    const folder = await place(t);
    const asks =
      '<s:element name="strPassword" type="s:string"/><s:element name="ticket" type="s:string"/><s:element name="customer" type="s:int"/><s:element name="tokenCount" type="s:int"/>';
    await writeFile(join(folder, 'old.wsdl'), wsdlOf({ asks }));
    const project = join(folder, 'new');
    let said = '';
    const code = await run(
      [
        'from',
        join(folder, 'old.wsdl'),
        project,
        '--proxy',
        'http://old.example',
        '--secret',
        'customer',
        '--secret',
        'weather',
      ],
      {
        print: () => {},
        remark: (line) => {
          said += line;
        },
        environment: {},
        stop: new AbortController().signal,
      },
    );
    assert.equal(code, 0, said);
    const contract = await readFile(join(project, 'src/contract.ts'), 'utf8');
    for (const [name, isSecret] of [
      ['strPassword', true],
      ['ticket', true],
      ['customer', true],
      ['tokenCount', false],
    ] as const) {
      const parameter = new RegExp(`\\{[^{}]*name: '${name}'[^{}]*\\}`).exec(contract)?.[0] ?? '';
      assert.equal(/secret: true/.test(parameter), isSecret, `${name}: ${parameter}`);
    }
    const upstream = await readFile(join(project, 'src/upstream.ts'), 'utf8');
    assert.match(
      upstream,
      /const SECRETS: readonly string\[\] = \[\s*'customer',\s*'weather',?\s*\];/,
    );
  });
});
