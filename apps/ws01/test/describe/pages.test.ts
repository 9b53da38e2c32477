import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Operation, Service } from '../../../../packages/asmx/src/contract/service.ts';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { unknownOperationPage } from '../../../../packages/asmx/src/describe/pages/unknown-operation-page.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { WS01 } from '../../src/contract/service.ts';
import { MIXED } from '../kit/hostile-texts.ts';
import { type EchoListener, listenAndEcho } from './kit/echo-listener.ts';
import { PageDocument, textOf } from './kit/page-document.ts';

/** ASP.NET's order: ordinal, capitals first. */
const SORTED = words(
  'CreateVerifyCode DeleImgById DeleteArticleByGuid InsertArticle InsertArticleImageFile',
  'QueryAdvert QueryImgData SendEmail UpdateArticleCategory UpdateOrInsertArticleById',
  'UpdatePinnedTopDueDateByGuid UrltoShortUrl VerifyCodeForPhone addNewAdvert countIpPosted',
  'countUserPosted queryEmailsent submitReview updateUserCellphone updateUserInfo',
);

async function page(url: string): Promise<PageDocument> {
  const answer = await fetch(url);
  return new PageDocument(await answer.text());
}

test('pages link to what the options name, relatively where it is on the same server', () => {
  const links = { Status: '/status', Elsewhere: 'https://example.net/' };
  const place = { namespace: 'urn:a', baseUrl: 'https://example.org/ws', links };
  for (const [path, status] of [
    ['/A.asmx', './status'],
    ['/old/services/A.asmx', '../../status'],
  ] as const) {
    const shown = new PageDocument(unknownOperationPage(WS01, { ...place, path }, 'x'));
    const [nav] = shown.all(['nav'], ({ attribs }) => attribs['aria-label'] === 'Documents');
    const found = shown.all(['a'], (element) => nav!.children.includes(element));
    assert.deepEqual(found.map((link) => [textOf(link), link.attribs.href]).slice(-2), [
      ['Status', status],
      ['Elsewhere', 'https://example.net/'],
    ]);
  }
});

suite('the page of the operations', () => {
  let listener: EchoListener;
  let list: PageDocument;
  before(async () => {
    listener = await listenAndEcho({ namespace: 'http://tempuri.org/ws01' });
    list = await page(listener.url);
  });
  after(() => listener.close());

  test("lists them in ASP.NET's order, with links and purposes", () => {
    const items = list
      .all(['ul'], ({ attribs }) => attribs.class === 'cards')
      .flatMap(({ children }) => children);
    const cards = list.all(['li'], (element) => items.includes(element));
    const purposes = new Map<string, string>(
      WS01.operations.map(({ name, help }) => [name, help!.purpose]),
    );
    assert.deepEqual(
      cards.map((card) => textOf(card)),
      SORTED.map((name) => name + purposes.get(name)),
    );
    const links = list.all(['a'], ({ parent }) => cards.some((card) => card === parent));
    assert.deepEqual(
      links.map(({ attribs }) => attribs.href),
      SORTED.map((name) => `WS01.asmx?op=${name}`),
    );
  });

  test("has ASP.NET's title, sentence and links", () => {
    assert.equal(textOf(list.all(['title'])[0]!), 'WS01 Web Service');
    assert.match(
      list.text,
      /The following operations are supported\. {2}For a formal definition, please review the\s/,
    );
    const links = new Map(list.all(['a']).map((link) => [textOf(link), link.attribs.href]));
    assert.equal(links.get('Service Description'), 'WS01.asmx?WSDL');
    const alternate = list.all(['link'], ({ attribs }) => attribs.rel === 'alternate')[0];
    assert.deepEqual(
      { ...alternate?.attribs },
      { rel: 'alternate', type: 'text/xml', href: 'WS01.asmx?disco' },
    );
    assert.equal(textOf(list.byId('address')), listener.url);
    assert.equal(textOf(list.byId('namespace')), 'http://tempuri.org/ws01');
  });

  test('warns of a namespace nobody chose, and only of that', async (context) => {
    assert.doesNotMatch(list.text, /default namespace/);
    const unchosen = await listenAndEcho({ namespace: 'http://tempuri.org/' });
    context.after(() => unchosen.close());
    assert.match(
      (await page(unchosen.url)).text,
      /is using http:\/\/tempuri\.org\/ as its default namespace/,
    );
  });

  test('leads to the OpenAPI document', async () => {
    const link = list.all(['a'], (element) => textOf(element) === 'OpenAPI')[0]!;
    const answer = await fetch(new URL(link.attribs.href!, listener.url));
    assert.equal(answer.status, 200);
  });
});

suite('the page of an operation', () => {
  let listener: EchoListener;
  before(async () => {
    listener = await listenAndEcho({ namespace: 'http://tempuri.org/ws01' });
  });
  after(() => listener.close());

  for (const operation of WS01.operations as readonly Operation[]) {
    const { name, documentation, help, parameters } = operation;
    const hasForm = parameters.every(({ type }) => type !== 'base64Binary');

    test(`${name} says its purpose and has ${hasForm ? 'a' : 'no'} form`, async () => {
      const document = await page(`${listener.url}?op=${name}`);
      assert.equal(textOf(document.all(['h1'])[0]!), name);
      assert.ok(
        document.text.includes(`${help!.purpose}\nIn the WSDL: ${documentation}.`),
        document.text.slice(0, 800),
      );
      assert.ok(document.text.includes('Click here for a complete list of operations.'));
      const forms = document.all(['form']);
      assert.equal(forms.length, hasForm ? 1 : 0);
      if (!hasForm) {
        assert.match(
          document.text,
          /The test form is only available for methods with primitive types as parameters\./,
        );
        for (const parameter of parameters)
          assert.ok(document.text.includes(parameter.documentation), parameter.name);
        return;
      }
      assert.match(
        document.text,
        /To test the operation using the HTTP POST protocol, click the 'Invoke' button\./,
      );
      const { method, action, target } = forms[0]!.attribs;
      assert.deepEqual({ method, target }, { method: 'post', target: '_blank' });
      assert.equal(new URL(action!, `${listener.url}?op=${name}`).href, `${listener.url}/${name}`);
      const controls = document.all(
        ['input', 'textarea', 'select'],
        ({ attribs }) => attribs.name !== undefined && attribs.type !== 'radio',
      );
      assert.deepEqual(
        controls.map(({ attribs }) => attribs.name),
        parameters.map((parameter) => parameter.name),
      );
      parameters.forEach((parameter, index) => {
        const { attribs } = controls[index]!;
        assert.equal(attribs.autocomplete, parameter.secret ? 'off' : undefined, parameter.name);
        const label = document.all(['label'], (element) => element.attribs.for === attribs.id);
        assert.deepEqual(label.map(textOf), [parameter.name]);
        assert.ok(
          textOf(document.byId(attribs['aria-describedby']!)).startsWith(parameter.documentation),
        );
      });
    });

    test(`${name} says what comes back, what can be wrong, and what must be given`, async () => {
      const document = await page(`${listener.url}?op=${name}`);
      const { help } = operation;
      assert.ok(help !== undefined);
      for (const text of [help.purpose, help.answer, ...Object.values(help.errors)]) {
        assert.ok(document.text.includes(text), text);
      }
      for (const code of Object.keys(help.errors)) assert.ok(Object.hasOwn(ERRORS, code), code);
      const labels = document.all(['div'], ({ attribs }) => attribs.class === 'label').map(textOf);
      const required = labels
        .filter((label) => label.endsWith(' required'))
        .map((label) => label.split(' ')[0]);
      assert.deepEqual(new Set(required), new Set(help.required));
      const controls = document.all(
        ['input', 'textarea'],
        ({ attribs }) => attribs['aria-required'] === 'true',
      );
      if (hasForm)
        assert.deepEqual(
          new Set(controls.map(({ attribs }) => attribs.name)),
          new Set(help.required),
        );
    });

    test(`${name} has a sample for every binding`, async () => {
      const document = await page(`${listener.url}?op=${name}`);
      assert.deepEqual(document.all(['h3']).map(textOf), [
        'Errors',
        'From a program',
        'SOAP 1.1',
        'SOAP 1.2',
        'HTTP GET',
        'HTTP POST',
      ]);
      const tabs = document.all(['div'], ({ attribs }) => attribs.class === 'tab');
      assert.deepEqual(
        tabs.map((tab) => textOf(tab).trim().split('\n')[0]),
        ['curl', 'JSON', 'C#', 'PHP', 'Java', 'Python', 'JavaScript', 'Delphi'],
      );
      for (const title of ['SOAP 1.1', 'SOAP 1.2', 'HTTP GET', 'HTTP POST']) {
        assert.ok(
          document.text.includes(
            `The following is a sample ${title} request and response.  The placeholders shown need to be replaced with actual values.`,
          ),
          title,
        );
      }
    });

    test(`${name} is well built: one main heading, no level left out, ids used once, language and title`, async () => {
      const document = await page(`${listener.url}?op=${name}`);
      const levels = document
        .all(['h1', 'h2', 'h3', 'h4'])
        .map((heading) => Number(heading.name[1]));
      assert.equal(levels.filter((level) => level === 1).length, 1);
      levels.forEach((level, index) => {
        assert.ok(level <= (levels[index - 1] ?? 0) + 1, `h${level} after h${levels[index - 1]}`);
      });
      const withId = document.all(
        ['a', 'input', 'p', 'pre', 'h2', 'h3', 'div', 'main', 'form'],
        ({ attribs }) => attribs.id !== undefined,
      );
      for (const { attribs } of withId) document.byId(attribs.id!);
      assert.equal(document.all(['html'])[0]!.attribs.lang, 'en');
      assert.equal(textOf(document.all(['title'])[0]!), `${name} · WS01 Web Service`);
      const inPage = document.all(['a'], ({ attribs }) => attribs.href?.startsWith('#') ?? false);
      for (const { attribs } of inPage) document.byId(attribs.href!.slice(1));
    });
  }

  test('samples are those of ASP.NET', async () => {
    const document = await page(`${listener.url}?op=UpdatePinnedTopDueDateByGuid`);
    const host = new URL(listener.url).host;
    assert.equal(
      textOf(document.byId('soap11-request')),
      `POST /WS01.asmx HTTP/1.1
Host: ${host}
Content-Type: text/xml; charset=utf-8
Content-Length: length
SOAPAction: "http://tempuri.org/ws01/UpdatePinnedTopDueDateByGuid"

<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <UpdatePinnedTopDueDateByGuid xmlns="http://tempuri.org/ws01">
      <token>string</token>
      <guid>string</guid>
      <pinnedTopDueDate>dateTime</pinnedTopDueDate>
    </UpdatePinnedTopDueDateByGuid>
  </soap:Body>
</soap:Envelope>`,
    );
    assert.equal(
      textOf(document.byId('soap12-response')),
      `HTTP/1.1 200 OK
Content-Type: application/soap+xml; charset=utf-8
Content-Length: length

<?xml version="1.0" encoding="utf-8"?>
<soap12:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap12="http://www.w3.org/2003/05/soap-envelope">
  <soap12:Body>
    <UpdatePinnedTopDueDateByGuidResponse xmlns="http://tempuri.org/ws01">
      <UpdatePinnedTopDueDateByGuidResult>string</UpdatePinnedTopDueDateByGuidResult>
    </UpdatePinnedTopDueDateByGuidResponse>
  </soap12:Body>
</soap12:Envelope>`,
    );
    assert.equal(
      textOf(document.byId('http-get-request')),
      `GET /WS01.asmx/UpdatePinnedTopDueDateByGuid?token=string&guid=string&pinnedTopDueDate=string HTTP/1.1\nHost: ${host}`,
    );
  });

  test('a file is named twice over GET and POST, as in ASP.NET', async () => {
    const document = await page(`${listener.url}?op=InsertArticleImageFile`);
    assert.equal(
      textOf(document.byId('http-post-request')),
      `POST /WS01.asmx/InsertArticleImageFile HTTP/1.1
Host: ${new URL(listener.url).host}
Content-Type: application/x-www-form-urlencoded
Content-Length: length

verifyCode=string&FileGuid=string&FileImg=string&FileImg=string&Link_Guid=string&category=string&IsIcons=string&ip=string`,
    );
    assert.equal(
      textOf(document.byId('http-post-response')),
      `HTTP/1.1 200 OK
Content-Type: text/xml; charset=utf-8
Content-Length: length

<?xml version="1.0" encoding="utf-8"?>
<boolean xmlns="http://tempuri.org/ws01">boolean</boolean>`,
    );
    assert.match(textOf(document.byId('curl-command')), /--form 'FileImg=@file'/);
  });
});

suite('hostile text', () => {
  const hostile: Service = {
    name: 'Odd',
    documentation: MIXED,
    operations: [
      {
        name: 'Do',
        documentation: MIXED,
        parameters: [
          { name: 'action', type: 'string', documentation: MIXED, sample: MIXED },
          {
            name: 'long',
            type: 'string',
            documentation: MIXED,
            sample: MIXED,
            maxLength: 100_000,
          },
        ],
        result: 'string',
      },
    ],
  };

  test('of a contract is shown as text', async (context) => {
    const listener = await listenAndEcho({
      service: hostile,
      path: '/Odd.asmx',
      namespace: `urn:a&b'"<c`,
    });
    context.after(() => listener.close());
    for (const query of ['', '?op=Do', '?op=Undo']) {
      const document = await page(listener.url + query);
      assert.equal(document.all(['script']).length, 1);
      if (query !== '?op=Undo') assert.ok(document.text.includes(MIXED), query);
    }
    const document = await page(`${listener.url}?op=Do`);
    const samples = document.all(
      ['input', 'textarea'],
      ({ attribs }) => attribs['data-sample'] !== undefined,
    );
    assert.deepEqual(
      samples.map(({ attribs }) => attribs['data-sample']),
      [MIXED, MIXED],
    );
  });

  test('of a query is shown as text, and long names are cut', async (context) => {
    const listener = await listenAndEcho();
    context.after(() => listener.close());
    const document = await page(`${listener.url}?op=${encodeURIComponent(MIXED)}`);
    assert.equal(document.all(['script']).length, 1);
    assert.ok(document.text.includes(`Method '${MIXED}' was not found in service WS01.`));
    const place = { namespace: 'urn:ws01', baseUrl: 'http://localhost', path: '/WS01.asmx' };
    const long = unknownOperationPage(WS01, place, '🎉'.repeat(10_000));
    assert.ok(new PageDocument(long).text.includes(`Method '${'🎉'.repeat(100)}…' was not found`));
  });

  test('a name in another letter case is offered as it should be', async (context) => {
    const listener = await listenAndEcho();
    context.after(() => listener.close());
    const document = await page(`${listener.url}?op=insertarticle`);
    assert.match(document.text, /Did you mean InsertArticle\?/);
  });
});
