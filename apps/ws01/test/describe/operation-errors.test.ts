import assert from 'node:assert/strict';
import { it } from 'node:test';
import { credentialOf } from '../../../../packages/asmx/src/contract/service.ts';
import { WS01 } from '../../src/contract/service.ts';
import { registerUsers } from '../../src/domain/users/users.ts';
import { OPERATION_CALLS } from '../kit/operation-calls.ts';
import { startService } from '../kit/service.ts';
import { issueTokens } from '../kit/tokens.ts';

/** What a client may put in place of a value. */
const OTHERS = [
  '',
  'no value\nof any kind',
  '-1',
  'x'.repeat(3_000),
  'http://user@10.0.0.1/',
  'a@b.example, c@d.example',
];

/** Some that must be seen, so that the test cannot pass by asking nothing. */
const SURELY: Readonly<Record<string, readonly string[]>> = {
  InsertArticle: [
    'Unauthenticated',
    'Forbidden',
    'AlreadyExists',
    'MissingParameter',
    'InvalidParameter',
  ],
  UpdateOrInsertArticleById: ['Unauthenticated', 'AlreadyExists'],
  UpdateArticleCategory: ['Unauthenticated', 'NotFound', 'MissingParameter'],
  DeleImgById: ['Unauthenticated', 'NotFound'],
  UrltoShortUrl: ['DestinationBlocked', 'InvalidParameter', 'MissingParameter'],
  CreateVerifyCode: ['Unauthenticated', 'Forbidden', 'InvalidParameter'],
  SendEmail: ['Unauthenticated', 'MassMailNotAllowed', 'NotRegistered'],
  QueryAdvert: ['InvalidParameter', 'MissingParameter'],
};

it('an operation answers no error that /openapi.json does not list for it', async (t) => {
  const env = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'board@ws01.example' };
  const { url, database } = await startService(t, undefined, env);
  const { ada, bob } = await issueTokens(t, database);
  await registerUsers(
    await database.open(),
    [{ id: 'ada', name: 'Ada', email: 'ada@ws01.example' }],
    Date.now,
  );
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  const listed = (name: string) =>
    Object.values(document.paths[`/WS01.asmx/${name}`]!.post.responses).flatMap(({ $ref }) =>
      $ref === undefined
        ? []
        : document.components.responses[$ref.split('/').at(-1)!]!.headers['X-Error-Code'].schema
            .enum,
    );
  for (const operation of WS01.operations) {
    const { name, parameters } = operation;
    const seen = new Set<string>();
    const call = OPERATION_CALLS[name]!(1);
    const ask = async (values: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ ...(call as Record<string, string>), ...values });
      const answer = await fetch(`${url}/WS01.asmx/${name}`, { method: 'POST', body });
      await answer.arrayBuffer();
      const code = answer.headers.get('x-error-code');
      if (code !== null && answer.status !== 200) seen.add(code);
    };
    const credential = credentialOf(operation)?.name;
    // Who sends many wrong tokens is slowed down: one is enough.
    for (const token of credential === undefined ? [] : ['', 'wrong'])
      await ask({ [credential!]: token });
    const askBy = async (token: string, others: readonly string[]) => {
      const by: Record<string, string> = credential === undefined ? {} : { [credential]: token };
      await ask(by);
      for (const { name: parameter } of parameters) {
        if (parameter !== credential)
          for (const other of others) await ask({ ...by, [parameter]: other });
      }
    };
    await askBy(ada, OTHERS);
    // What is there is Ada's by now.
    await askBy(bob, ['']);
    const codes = listed(name);
    assert.deepEqual(
      [...seen].filter((code) => !codes.includes(code)),
      [],
      `${name} lists ${codes.join(', ')}`,
    );
    for (const code of SURELY[name] ?? [])
      assert.ok(seen.has(code), `${name} did not answer ${code}: ${[...seen]}`);
  }
  assert.ok(!listed('QueryAdvert').includes('MailUnavailable'));
  assert.ok(!listed('SendEmail').includes('SmsUnavailable'));
});

interface Document {
  readonly paths: Readonly<
    Record<string, { readonly post: { readonly responses: Record<string, { $ref?: string }> } }>
  >;
  readonly components: {
    readonly responses: Readonly<
      Record<
        string,
        {
          readonly headers: {
            readonly 'X-Error-Code': { readonly schema: { readonly enum: string[] } };
          };
        }
      >
    >;
  };
}
