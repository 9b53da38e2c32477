import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEndpoint, type PageLanguages, type Service } from '../../src/index.ts';
import { ask } from '../kit/ask.ts';

const HELLO: Service = {
  name: 'Hello',
  namespace: 'urn:hello',
  documentation: 'Says hello.',
  operations: [{ name: 'Greet', documentation: 'constructor', parameters: [], result: 'string' }],
};
const German = { name: 'Deutsch', texts: { Samples: 'Beispiele', 'Says hello.': 'Grüßt <dich>.' } };
const LANGUAGES: PageLanguages = {
  'de-DE': German,
  ga: { name: 'Gaeilge', texts: { Samples: 'Samplaí' } },
};

/** Returns what asks for a page, with `Accept-Language` or without. */
function pagesOf(pageLanguages?: PageLanguages) {
  const endpoint = createEndpoint(HELLO, {
    path: '/Hello.asmx',
    handlers: { Greet: () => 'Hello' },
    ...(pageLanguages && { pageLanguages }),
  });
  return async (query: string, accepted?: string) => {
    const { headers, body } = await ask(endpoint, {
      target: `/Hello.asmx${query}`,
      headers: { host: 'localhost', ...(accepted && { 'accept-language': accepted }) },
    });
    return { headers, text: Buffer.from(body as Uint8Array).toString() };
  };
}

describe('pages in several languages', () => {
  const languageOf = (text: string) => /<html lang="([^"]+)">/.exec(text)?.[1];

  it('are in the one of the address, else the first of the browser, else English', async () => {
    const page = pagesOf(LANGUAGES);
    for (const [query, accepted, expected] of [
      ['', undefined, 'en'],
      ['', 'fr, ga;q=0.8, de;q=0.5', 'ga'],
      ['', 'DE-at,en', 'de-DE'],
      ['', 'en-GB,de', 'en'],
      ['?lang=de-DE', 'ga', 'de-DE'],
      ['?lang=en', 'ga', 'en'],
      ['?lang=xx', 'ga', 'ga'],
      ['?lang=__proto__', undefined, 'en'],
      ['?op=Greet', 'de', 'de-DE'],
      ['?op=Nothing&lang=ga', undefined, 'ga'],
      ['', `${'x,'.repeat(100_000)}de`, 'en'],
    ] as const) {
      const { text, headers } = await page(query, accepted);
      assert.equal(languageOf(text), expected, `${query} ${accepted?.slice(0, 40)}`);
      assert.equal(headers.Vary, 'Accept-Language');
    }
  });

  it('stay in the one that a link chose, and lead to the others', async () => {
    const page = pagesOf(LANGUAGES);
    const linksOf = (text: string) =>
      [...text.matchAll(/<a (?:class="brand" )?href="([^"#]+)"/g)].map(([, href]) =>
        href!.replaceAll('&amp;', '&'),
      );
    const chosen = await page('?lang=de-DE&op=Greet');
    assert.deepEqual(linksOf(chosen.text), [
      ...['Hello.asmx?lang=de-DE', 'Hello.asmx?WSDL', 'Hello.asmx?disco', 'openapi.json'],
      ...['Hello.asmx?lang=en&op=Greet', 'Hello.asmx?lang=ga&op=Greet'],
      ...['Hello.asmx?lang=de-DE&op=Greet', 'Hello.asmx?lang=de-DE'],
    ]);
    const liked = await page('?op=Greet', 'de');
    assert.equal(linksOf(liked.text)[0], 'Hello.asmx');
  });

  it('have the texts of the contract, as text; what has none, and what ASP.NET says, is English', async () => {
    const page = pagesOf(LANGUAGES);
    const list = (await page('', 'de')).text;
    assert.match(list, /Grüßt &lt;dich&gt;\./);
    assert.match(list, /<p lang="en">The following operations are supported\./);
    assert.match(list, /<p>constructor<\/p>/, 'not what every object has');
    const operation = (await page('?op=Greet', 'de')).text;
    assert.match(operation, />Beispiele</);
    assert.match(operation, />From a program</);
    assert.match(operation, /<p lang="en">The following is a sample SOAP 1\.1 request/);
  });

  it('say nothing of languages where there are no others', async () => {
    const { text, headers } = await pagesOf()('?lang=de-DE&op=Greet', 'de');
    assert.doesNotMatch(text, /hreflang|lang="en">The|data-words/);
    assert.equal(headers.Vary, undefined);
  });
});
