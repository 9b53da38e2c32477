import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { WEB_URL } from '../../../../../packages/asmx/test/kit/random.ts';
import { Ws01Error } from '../../../src/contract/errors.ts';
import {
  optionalHttpUrl,
  parseHttpUrl,
  shortLinkTarget,
} from '../../../src/domain/values/web-url.ts';

const refusal = (code: string) => (error: unknown) =>
  error instanceof Ws01Error &&
  error.code === code &&
  error.parameter === '_orgUrl' &&
  error.message.startsWith('_orgUrl ');

describe('web addresses', () => {
  it('are kept as they are written', () => {
    fc.assert(
      fc.property(WEB_URL, (url) => {
        assert.equal(optionalHttpUrl(` ${url} `, 'linkUrl'), url);
        assert.equal(parseHttpUrl(url)?.href, new URL(url).href);
      }),
    );
  });

  it('have at most 2,048 characters', () => {
    const urlOf = (length: number) => `http://a.example/${'😀'.repeat(length - 17)}`;
    assert.ok(parseHttpUrl(urlOf(2048)));
    assert.equal(parseHttpUrl(urlOf(2049)), undefined);
    assert.equal(parseHttpUrl(`http://a.example/${'a'.repeat(5_000_000)}`), undefined);
  });

  it('are never a script, whatever is put in front', () => {
    const blanks = fc.stringMatching(/^[\t\n\r \u00a0]{0,3}$/);
    const schemes = fc.constantFrom(
      'javascript:',
      'JaVaScRiPt:',
      'java\nscript:',
      'data:text/html,',
      'vbscript:',
      'file:///',
      'blob:http://a.example/',
    );
    fc.assert(
      fc.property(blanks, schemes, fc.string(), (before, scheme, rest) => {
        assert.equal(parseHttpUrl(before + scheme + rest), undefined);
      }),
    );
  });
});

describe('targets of short links', () => {
  it('are ASCII, http or https, and their own canonical form', () => {
    const texts = fc.oneof(
      WEB_URL,
      fc.domain(),
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'htps:/.@?#[]\\ 字a1%', '\ud800') }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let target: string;
        try {
          target = shortLinkTarget(text, '_orgUrl');
        } catch (error) {
          assert.ok(
            ['MissingParameter', 'InvalidParameter', 'DestinationBlocked'].some((code) =>
              refusal(code)(error),
            ),
            String(error),
          );
          return;
        }
        assert.match(target, /^https?:\/\/[!-~]+$/);
        assert.equal(shortLinkTarget(target, '_orgUrl'), target);
      }),
      { numRuns: 1000 },
    );
  });

  it('get http:// where a host stands without a scheme', () => {
    fc.assert(
      fc.property(fc.domain(), fc.option(fc.integer({ min: 1, max: 65_535 })), (domain, port) => {
        const text = port === null ? `${domain}/a` : `${domain}:${port}/a`;
        assert.equal(shortLinkTarget(text, '_orgUrl'), new URL(`http://${text}`).href);
      }),
    );
  });

  it('have no user name and password', () => {
    for (const text of [
      'http://user@example.com/',
      'http://user:secret@example.com/',
      'https://:secret@example.com/',
    ]) {
      assert.throws(() => shortLinkTarget(text, '_orgUrl'), refusal('DestinationBlocked'), text);
    }
  });

  it('are required', () => {
    for (const text of [undefined, '', ' \n']) {
      assert.throws(() => shortLinkTarget(text, '_orgUrl'), refusal('MissingParameter'));
    }
  });

  it('that are too long are not looked at', () => {
    for (const text of [
      'a.'.repeat(500_000),
      `http://${'a.'.repeat(500_000)}`,
      `${'a'.repeat(1_000_000)}:80`,
    ]) {
      assert.throws(() => shortLinkTarget(text, '_orgUrl'), refusal('InvalidParameter'));
    }
  });
});
