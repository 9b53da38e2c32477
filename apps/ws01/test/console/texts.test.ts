import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FIXED } from '../../src/config/fixed.ts';
import { errorText } from '../../src/console/errors.ts';
import { translator } from '../../src/console/language.ts';
import { meaningOfReply } from '../../src/console/replies.ts';
import { en } from '../../src/console/texts/en.ts';
import { zh } from '../../src/console/texts/zh.ts';
import { ZH_ERRORS } from '../../src/console/texts/zh-errors.ts';
import { reasonInChinese } from '../../src/console/texts/zh-reasons.ts';
import { actionText } from '../../src/console/values.ts';
import type { Visit } from '../../src/console/visit.ts';
import { ERRORS, type ErrorCode, Ws01Error } from '../../src/contract/errors.ts';
import { type Sentence, say } from '../../src/contract/sentence.ts';
import { AUDIT_ACTIONS } from '../../src/domain/audit/actions.ts';
import { BUDGETS, type BudgetName, rateLimited } from '../../src/domain/budgets/rates.ts';
import { tooLarge } from '../../src/domain/images/validation/refusal.ts';
import { OUTBOX_STATES } from '../../src/records/common.ts';
import { languageOf } from '../../src/web/language.ts';

test('every text is there in each language, with the same values in its braces', () => {
  assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [key, text] of Object.entries(en)) {
    assert.deepEqual(values(zh[key as keyof typeof en]), values(text), key);
    assert.notEqual(text.trim(), '');
    assert.notEqual(zh[key as keyof typeof en].trim(), '');
  }
});

test('empty lists say how long failed calls are kept', () => {
  const days = new RegExp(`\\b${FIXED.failedCallsKeptDays}\\b`);
  assert.match(en['empty.failures'], days);
  assert.match(zh['empty.failures'], days);
});

test('every text and every class of the style sheet is used', () => {
  const src = new URL('../../src/', import.meta.url);
  const sources = globSync('**/*.{ts,js}', { cwd: src }).filter((file) => !file.includes('texts'));
  const texts = sources.map((file) => readFileSync(new URL(file, src), 'utf8'));
  const words = new Set<string>(
    texts.flatMap((text): string[] => [
      ...(text.match(/[\w.-]+/g) ?? []),
      ...(text.match(/[\w-]+/g) ?? []),
    ]),
  );
  for (const code of Object.keys(ERRORS)) words.add(code);
  // Of keys that are put together, as `field.${name}`, the last part stands in the source.
  const isUsed = (key: string) =>
    words.has(key) || (MADE.has(key.split('.')[0]!) && words.has(key.split('.').at(-1)!));
  assert.deepEqual(
    Object.keys(en).filter((key) => !isUsed(key)),
    [],
  );
  const css = readFileSync(new URL('console/assets/console.css', src), 'utf8');
  const classes = new Set(
    [...css.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name!),
  );
  // htmx and the charts set their own.
  const unused = [...classes].filter((name) => !words.has(name) && !/^(htmx|u)-/.test(name));
  assert.deepEqual(unused, []);
});

/** First parts of keys that the source puts together. */
const MADE = new Set([
  'code',
  'refused',
  'action',
  'problem',
  'role',
  'value',
  'verb',
  'desk',
  'did',
  'desk',
  'kind',
  'theme',
  'density',
  'keys',
  'empty',
  'first',
  'scope',
  'means',
  'field',
  'visits',
  'overview',
]);

const CHINESE = { language: 'zh', translate: translator('zh') } as Visit;
const inChinese = (message: string | Sentence, code: ErrorCode = 'Internal') =>
  errorText(CHINESE, new Ws01Error(code, message));

test('every code of an error has a text in each language, for sentences without a translation', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    assert.match(en[`problem.${code}`], /^[A-Z]/);
    assert.match(zh[`problem.${code}`], /\p{Script=Han}/u);
    assert.equal(
      inChinese('The moon is full.', code),
      `${zh[`problem.${code}`]}：The moon is full.`,
    );
  }
});

/** Where errors that reach the console are thrown. Operations have callers, not people. */
const ROOMS = [
  'api/*.ts',
  'api/public/*.ts',
  'console/*.ts',
  'failure/translate.ts',
  'app/backups.ts',
  'domain/admins/*.ts',
  'domain/moderation/*.ts',
  'domain/persons/*.ts',
  'domain/credentials/{tokens,token-changes,guess-throttle}.ts',
  'domain/users/{edit,users,blocked,named-user}.ts',
  'domain/mail/{admin,suppressions}.ts',
  'domain/sms/change.ts',
  'domain/links/links.ts',
  'domain/articles/restore-revision.ts',
  'domain/webhooks/webhooks.ts',
  'domain/events/*.ts',
];

/** Answers to callers with a credential of their own, whom the console never asks for. */
const FOR_CALLERS = /^The (credential stands|token has)|authorization/i;

/** The templates of the sentences of errors in our source; with an x for each value that has no name. */
function sentencesOf(source: string): string[] {
  const literal = "(?:say)?(`(?:[^`\\\\]|\\\\.)*`|'(?:[^'\\\\]|\\\\.)*')";
  const before = [
    "new Ws01Error\\(\\s*'\\w+',\\s*",
    "invalid\\([\\w']+,\\s*",
    '(?:wrong|refusal)\\(',
    'const message =\\s*',
    '\\s[?:]\\s',
    '(?:unavailable|busy): ',
    'UNKNOWN = ',
    'return ',
  ];
  const found = [...source.matchAll(new RegExp(`(?:${before.join('|')})${literal}`, 'g'))].map(
    ([, text]) => text!,
  );
  return found
    .map((text) =>
      text
        .slice(1, -1)
        .replaceAll(/\$\{\{ (\w+)(?::(?:[^{}]|\{[^{}]*\})*)? \}\}/g, '{$1}')
        .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'x'),
    )
    .filter((text) => /^(?:x|\{|[A-Z"]|\w+ ).* .*\.$/.test(text) && !FOR_CALLERS.test(text));
}

test('every sentence of an error that reaches the console is there in Chinese', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = globSync(ROOMS, { cwd: src }).filter((file) => !file.endsWith('openapi.ts'));
  const sentences = new Set(
    files.flatMap((file) => sentencesOf(readFileSync(new URL(file, src), 'utf8'))),
  );
  assert.ok(sentences.size > 60, String(sentences.size));
  assert.deepEqual(
    [...sentences].filter((sentence) => !ZH_ERRORS.has(sentence)),
    [],
  );
  const values = (text: string): string[] => text.match(/\{\w+\}/g) ?? [];
  const source = globSync('**/*.ts', { cwd: src })
    .filter((file) => !file.includes('texts'))
    .map((file) => readFileSync(new URL(file, src), 'utf8'))
    .join('\n');
  for (const [sentence, translation] of ZH_ERRORS) {
    const left = values(sentence).filter((value) => !values(translation).includes(value));
    assert.deepEqual(left, [], sentence);
    assert.match(translation, /\p{Script=Han}/u);
    const unused = sentence
      .split(/\{\w+\}|; /)
      .filter((piece) => !source.includes(piece.trim().replace(/\.$/, '')));
    assert.deepEqual(unused, [], sentence);
  }
});

/** Besides the audit trail, events tell of messages that changed their state, and of a test. */
const EVENTS = [
  'webhook.test',
  ...['mail', 'sms'].flatMap((kind) =>
    OUTBOX_STATES.filter((one) => one !== 'sending').map((state) => `${kind}.${state}`),
  ),
];

// The compiler refuses to record an action that is not in the list.
test('every action of the audit trail, and every event, is in words of each language', () => {
  const translate = translator('en');
  for (const action of [...AUDIT_ACTIONS, ...EVENTS]) {
    const [english, chinese] = [translate, CHINESE.translate].map((one) => actionText(one, action));
    assert.match(english!, /^[a-z][a-z ]+: [a-z][a-z ]+$/i, action);
    assert.match(chinese!, /^(?:webhook|\p{Script=Han}+)：[\p{Script=Han}]+$/u, action);
  }
});

test('values of an error stand in its translation, in words of the console', () => {
  const named = say`${{ field: 'state' }} must be one of ${{ values: 'published, held, removed' }}.`;
  assert.equal(inChinese(named), '“状态”只能是以下之一：已发布、暂停公开、已下架。');
  const absent = (kind: string, key: string) => say`There is no ${{ kind }} ${{ key }}.`;
  assert.equal(inChinese(absent('user', 'ada')), '没有用户 ada。');
  assert.equal(inChinese(absent('audit entry', '"x"')), '没有审计 "x"。');
  assert.equal(
    inChinese(say`${{ id: 'm1' }} is ${{ value: 'sent' }}, not cancelled.`),
    'm1 的状态为“已发送”，并未取消。',
  );
  const at = 'It has no @; write one plain address, like grace@example.com.';
  assert.equal(
    inChinese(say`That is not an e-mail address. ${{ part: at }}`),
    '这不是邮箱地址。其中没有 @；请填写一个普通地址，例如 grace@example.com。',
  );
  const known = say`there are ${{ known: 'limit, sort' }}`;
  const unknown = say`${{ name: '"x"' }} is no ${{ noun: 'parameter' }} here; ${{ part: known }}.`;
  assert.equal(String(unknown), '"x" is no parameter here; there are limit, sort.');
  assert.equal(inChinese(unknown), '这里没有参数 "x"；可用的有 limit, sort。');
  // What a value says is no part of the template.
  assert.equal(inChinese(absent('user', '{kind}')), '没有用户 {kind}。');
});

test('why a picture was refused, and a budget used up, is there in Chinese', () => {
  const src = new URL('../../src/domain/images/', import.meta.url);
  const reasons = globSync('**/*.ts', { cwd: src }).flatMap((file) => {
    const source = readFileSync(new URL(file, src), 'utf8');
    return [
      ...source.matchAll(/(?:unreadable\(|new ImageRefusal\(\s*'\w+',\s*)(['`])(.*?)\1/gs),
    ].map(([, , text]) => text!.replaceAll(/\$\{[^}]*\}/g, '7'));
  });
  assert.ok(reasons.length > 25);
  const limited = (Object.keys(BUDGETS) as BudgetName[]).map(
    (name) => rateLimited(name, { limit: 10, window: 3_600_000 }, 5_000, 0).message,
  );
  for (const reason of [...reasons, ...limited]) {
    const inChinese = reasonInChinese(reason) ?? reason;
    assert.match(inChinese, /\p{Script=Han}/u, reason);
    assert.doesNotMatch(inChinese, /[a-z]{2,} [a-z]{2,}/, reason);
  }
  const { message } = tooLarge('3 x 4 pixels in 9 frames', '50 pixels in all frames together');
  assert.equal(
    reasonInChinese(message),
    '图片有 9 帧，每帧 3 × 4 像素；最多接受 所有帧合计 50 像素。',
  );
  assert.equal(reasonInChinese('The moon is full.'), undefined);
});

const NO_AT = 'It has no @; write one plain address, like grace@example.com.';
const NO_COUNTRY = 'is written without its country code';
const NO_USER_INFO = 'has a user name or password; leave it out';

test('what callers of operations get as an error is there in Chinese', () => {
  const src = new URL('../../src/', import.meta.url);
  const areas = '{adverts,articles,counts,images,links,mail,phone,reviews}';
  const files = '{create,content,call,put,operations,send,upload,target,opinion,write,sms-budgets}';
  const sources = [
    ...globSync(`domain/${areas}/${files}.ts`, { cwd: src }),
    ...globSync('domain/{users/operations,users/blocked,shared/ownership}.ts', { cwd: src }),
    ...globSync('domain/{values/web-url,budgets/fan-out,credentials/access}.ts', { cwd: src }),
  ];
  const told = sources.flatMap((file) => {
    const source = readFileSync(new URL(file, src), 'utf8');
    return [
      ...source.matchAll(
        /(?:new Ws01Error\(\s*'\w+',\s*(?:say)?|missing\('\w+', )(['"`])(.*?)\1/gs,
      ),
    ].map(([, , text]) => text!);
  });
  assert.ok(told.length > 30, `${told.length} were found`);
  const sentences = told
    // Those about a record by its key are sentences of the API.
    .filter((template) => !template.includes('{ kind'))
    .map((template) =>
      template
        .replaceAll(/\$\{[^}]*(?:name|parameter|field)[^}]*\}\}?/gi, 'guid')
        .replaceAll(/\$\{problem\}/g, template.startsWith('cell') ? NO_COUNTRY : NO_USER_INFO)
        .replaceAll(/\$\{[^}]*reason[^}]*\}\}?/g, NO_AT)
        .replaceAll(/\$\{[^}]*noun[^}]*\}\}?/g, 'article')
        .replaceAll(/\$\{[^}]*\}\}?/g, '7'),
    );
  assert.deepEqual(
    sentences.filter((one) => !/\p{Script=Han}/u.test(reasonInChinese(one) ?? one)),
    [],
  );
});

test('replies of mail servers that people can do something about have a meaning', () => {
  for (const [reply, meaning] of [
    ['getaddrinfo ENOTFOUND smtp.exampel.com', 'reply.noHost'],
    ['connect ECONNREFUSED 127.0.0.1:25', 'reply.nobodyListens'],
    ['Connection timeout', 'reply.noAnswer'],
    ['self-signed certificate', 'reply.certificateUnknown'],
    ['the certificate of the server has expired', 'reply.certificateExpired'],
    ['the certificate of the server is of another host', 'reply.certificate'],
    ['535 5.7.8 Authentication credentials invalid', 'reply.login'],
    ['550 5.1.1 No such user here', 'reply.noMailbox'],
    ['452 4.2.2 Mailbox full', 'reply.full'],
    ['550 5.7.1 Refused as spam', 'reply.policy'],
    ['451 4.7.1 Greylisted, try again', 'reply.later'],
    ['250 OK: message queued', undefined],
    ['HTTP 400', undefined],
  ] as const)
    assert.equal(meaningOfReply(reply), meaning, reply);
});

test('the language is the one chosen, else the first of the browser’s that there is', () => {
  assert.equal(languageOf('zh', 'en'), 'zh');
  assert.equal(languageOf('constructor', 'de-DE, zh-CN;q=0.8, en;q=0.5'), 'zh');
  assert.equal(languageOf(undefined, 'fr, en'), 'en');
  assert.equal(languageOf(undefined, undefined), 'en');
});
