import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAIL_SERVER, TRIAL_TO } from '../../src/api/mail-server-routes.ts';
import { openApiOf } from '../../src/api/openapi.ts';
import { type RouteDeps, routesOf } from '../../src/api/routes.ts';
import { readCatalog } from '../../src/console/catalog.ts';
import { LAYOUTS } from '../../src/console/kinds.ts';
import { formHintOf, sentenceOf } from '../../src/console/language.ts';
import { en } from '../../src/console/texts/en.ts';
import { OWNER_HINTS } from '../../src/console/texts/owner-hints.ts';
import { ZH_API } from '../../src/console/texts/zh-api.ts';
import { ZH_HINTS } from '../../src/console/texts/zh-hints.ts';

/** Words that are for those who write programs. */
const OF_PROGRAMS = /\b(?:keys?|parameters?|given|null|booleans?|members?|absent|the answer)\b/i;

test('whatever the API names has a word in the console: kinds, members, filters, verbs and values', async () => {
  // Routes are only described here, and work with nothing.
  const document = JSON.stringify(
    openApiOf(routesOf({ links: {}, shown: () => {}, limits: {} } as unknown as RouteDeps)),
  );
  const { kinds, tables } = await readCatalog({ fetch: () => new Response(document) });
  const words = new Set<string>(tables.map(({ name }) => `kind.${name}`));
  for (const kind of [...kinds.values()].filter(({ name }) => name in LAYOUTS)) {
    words.add(`kind.${kind.name}`);
    const { columns, called } = LAYOUTS[kind.name]!;
    const shown = [...columns, ...called.flatMap((some) => some.split(' '))];
    const unknown = shown.filter((name) => !Object.hasOwn(kind.fields, name));
    assert.deepEqual(unknown, [], `what the list of ${kind.name} shows`);
    const described = [
      kind.fields,
      kind.detail,
      kind.filters,
      kind.create?.body ?? {},
      ...kind.verbs.map(({ body }) => body),
    ];
    for (const [name, schema] of described.flatMap((fields) => Object.entries(fields))) {
      words.add(`field.${name}`);
      for (const value of (schema.items ?? schema).enum ?? []) {
        // Scopes are what calls name them.
        if (value !== null && name !== 'scopes') words.add(`value.${value}`);
      }
    }
    for (const sort of kind.sorts) words.add(`field.${sort.replace('-', '')}`);
    for (const { name } of kind.verbs) words.add(`verb.${name}`);
  }
  const looked = [...kinds.values()].filter(({ name }) => name in LAYOUTS);
  const purposes = looked.flatMap(({ verbs, create }) =>
    [...verbs, ...(create === undefined ? [] : [create])].map(({ summary }) => summary),
  );
  assert.deepEqual(
    [...new Set(purposes)].sort(),
    Object.keys(ZH_API).sort(),
    'what can be done is said in Chinese',
  );
  const ofMail = [...Object.values(MAIL_SERVER), TRIAL_TO].flatMap(
    ({ description }) => description ?? [],
  );
  const hints = looked
    .flatMap(({ detail, create, verbs }) => [
      detail,
      create?.body ?? {},
      ...verbs.map(({ body }) => body),
    ])
    .flatMap((fields) => Object.values(fields).flatMap(({ description }) => description || []));
  assert.deepEqual(
    [...new Set([...hints, ...ofMail])].sort(),
    Object.keys(ZH_HINTS).sort(),
    'and what each member is',
  );
  const asked = looked.flatMap(({ create, verbs }) => [
    create?.body ?? {},
    ...verbs.map((one) => one.body),
  ]);
  const forms = [...asked, { ...MAIL_SERVER, to: TRIAL_TO }].flatMap((fields) =>
    Object.values(fields).map(({ description }) => description ?? ''),
  );
  const opened = looked.flatMap(({ create, verbs }) =>
    [create, ...verbs.filter(({ method }) => method === 'patch')].flatMap(
      (one) => one?.summary ?? [],
    ),
  );
  const toOwners = [
    ...forms.map((about) => formHintOf('en', about)),
    ...opened.map((about) => sentenceOf('en', about)),
  ];
  assert.deepEqual(
    [...new Set(toOwners)].filter((said) => OF_PROGRAMS.test(said)),
    [],
    'forms speak to people, not to programs',
  );
  const known = new Set([...hints, ...ofMail, ...purposes]);
  assert.deepEqual(
    Object.keys(OWNER_HINTS).filter((about) => !known.has(about)),
    [],
  );
  assert.ok(words.size > 100);
  assert.deepEqual([...words].filter((word) => !Object.hasOwn(en, word)).toSorted(), []);
});
