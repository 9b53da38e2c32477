import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type MultipartFormHandler,
  MultipartFormReader,
} from '../../src/bindings/form/multipart-form.ts';
import { DEFAULT_LIMITS, defineLimits, type Limits } from '../../src/contract/limits.ts';
import { parseContentType } from '../../src/message/http.ts';
import { ReadError } from '../../src/message/read-error.ts';

/** A part as it was understood: a pair, or a file with its bytes in base64. */
type Part =
  | readonly [name: string, text: string]
  | readonly [name: string, base64: string, file: true];

class Recorder implements MultipartFormHandler {
  readonly parts: Part[] = [];
  #name = '';
  #text = '';
  #bytes: Buffer[] | undefined;

  open(name: string): 'text' {
    this.#name = name;
    this.#text = '';
    this.#bytes = undefined;
    return 'text';
  }

  openFile(name: string): 'bytes' {
    this.#name = name;
    this.#bytes = [];
    return 'bytes';
  }

  text(piece: string): void {
    assert.notEqual(piece, '');
    this.#text += piece;
  }

  bytes(piece: Uint8Array): void {
    assert.notEqual(piece.length, 0);
    this.#bytes!.push(Buffer.from(piece));
  }

  close(): void {
    this.parts.push(
      this.#bytes === undefined
        ? [this.#name, this.#text]
        : [this.#name, Buffer.concat(this.#bytes).toString('base64'), true],
    );
  }
}

/** Reads a form, cut into pieces of the sizes given in turn. */
function read(
  body: Uint8Array,
  boundary: string,
  sizes: readonly number[] = [body.length],
  limits = DEFAULT_LIMITS,
) {
  const recorder = new Recorder();
  const reader = new MultipartFormReader(recorder, { limits, boundary });
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length]!);
    reader.push(Uint8Array.from(body.subarray(at, at + size)));
    at += size;
  }
  reader.end();
  return recorder.parts;
}

const form = (...lines: readonly string[]): Buffer => Buffer.from(lines.join('\r\n'), 'utf8');

const part = (headers: string, content: string) => form('--b', headers, '', content, '--b--', '');

describe('multipart/form-data', () => {
  it('is read as Node’s own FormData writes it, in any split', async () => {
    const name = fc.stringMatching(/^[A-Za-z_]{1,12}$/);
    // FormData writes each line end of a text as CR LF.
    const text = fc
      .string({ unit: 'grapheme', maxLength: 40 })
      .map((value) => value.replace(/\r\n?|\n/g, '\r\n'));
    const field = fc.record({ name, text });
    const file = fc.record({ name, bytes: fc.uint8Array({ maxLength: 200 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(field, file), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
        async (entries, sizes) => {
          const data = new FormData();
          const expected: Part[] = [];
          for (const entry of entries) {
            if ('text' in entry) {
              data.append(entry.name, entry.text);
              expected.push([entry.name, entry.text.toWellFormed()]);
            } else {
              data.append(entry.name, new Blob([entry.bytes]), 'a "quoted"; name=x.png');
              expected.push([entry.name, Buffer.from(entry.bytes).toString('base64'), true]);
            }
          }
          const request = new Response(data);
          const boundary = /boundary=(.*)$/.exec(request.headers.get('content-type')!)![1]!;
          const body = Buffer.from(await request.arrayBuffer());
          assert.deepEqual(read(body, boundary, sizes), expected);
        },
      ),
    );
  });

  it('holds contents that look like the boundary', () => {
    const contents = ['\r\n--', '\r\n--B', '--b', '\r\n-', '\r', '\r\n\r\n', '\r\n--\r\n--c', ''];
    for (const content of contents) {
      for (const size of [1, 2, 3, 7, 1000]) {
        const body = part('Content-Disposition: form-data; name=a', content);
        assert.deepEqual(read(body, 'b', [size]), [['a', content]]);
      }
    }
  });

  for (const [what, body, parts] of [
    ['nothing', form('--b--'), []],
    [
      'a preamble and an epilogue',
      form('hello', '--b', 'Content-Disposition: form-data; name=a', '', '1', '--b--', 'x'),
      [['a', '1']],
    ],
    [
      'blanks behind the boundary',
      form('--b \t', 'Content-Disposition: form-data; name=a', '', '1', '--b--'),
      [['a', '1']],
    ],
    [
      'headers in any case, folded',
      part('CONTENT-DISPOSITION:form-data;\r\n NAME="a"', '1'),
      [['a', '1']],
    ],
    [
      'quotes and semicolons in the file name',
      part('Content-Disposition: form-data; name="a"; filename="x; name=b"', '1'),
      [['a', 'MQ==', true]],
    ],
    [
      'a file name in UTF-8 escapes',
      part("Content-Disposition: form-data; name=a; filename*=UTF-8''x", '1'),
      [['a', 'MQ==', true]],
    ],
    [
      'a media type that is no text: a file',
      part('Content-Disposition: form-data; name=a\r\nContent-Type: image/png', '1'),
      [['a', 'MQ==', true]],
    ],
    [
      'text/plain: no file',
      part('Content-Disposition: form-data; name=a\r\nContent-Type: text/plain', '中'),
      [['a', '中']],
    ],
  ] as const) {
    it(`is read: ${what}`, () => assert.deepEqual(read(body, 'b'), parts));
  }

  it('is read with line feeds alone, in any split, and keeps those of contents', () => {
    const head = 'Content-Disposition: form-data;\n name=a\nContent-Type: text/plain';
    for (const content of ['1', '', '\n', '\n\n', 'x\n-', 'x\n--B', 'x\ry']) {
      const body = Buffer.from(`--b\n${head}\n\n${content}\n--b\n${head}\n\n2\n--b--\n`);
      for (const size of [1, 2, 3, 7, 1000]) {
        const expected = [
          ['a', content],
          ['a', '2'],
        ];
        assert.deepEqual(read(body, 'b', [size]), expected);
      }
    }
  });

  it('keeps the apostrophes of a boundary, and not those around other parameters', () => {
    const { parameters } = parseContentType(`multipart/form-data; boundary='b'; charset='utf-8'`);
    assert.deepEqual([...parameters.values()], ["'b'", 'utf-8']);
  });

  it('decodes a part in the charset that it names', () => {
    const head =
      'Content-Disposition: form-data; name=a\r\nContent-Type: text/plain; charset=gb2312';
    const body = Buffer.concat([
      form('--b', head, '', ''),
      Buffer.from([0xd6, 0xd0]),
      form('', '--b--'),
    ]);
    for (const size of [1, 1000]) assert.deepEqual(read(body, 'b', [size]), [['a', '中']]);
  });

  for (const [what, body, boundary] of [
    ['no boundary', form('--b--'), ''],
    ['a boundary over 70 characters', form('--b--'), 'b'.repeat(71)],
    [
      'no last boundary',
      form('--b', 'Content-Disposition: form-data; name=a', '', '1', '--b'),
      'b',
    ],
    ['no boundary in the body', form('hello'), 'b'],
    ['an empty body', form(''), 'b'],
    [
      'text behind a boundary',
      form('--b x', 'Content-Disposition: form-data; name=a', '', '1', '--b--'),
      'b',
    ],
    ['a part without a name', part('Content-Disposition: form-data', '1'), 'b'],
    ['a part without headers', form('--b', '', '1', '--b--'), 'b'],
    [
      'a part that ends in its headers',
      form('--b', 'Content-Disposition: form-data; name=a', '--b--'),
      'b',
    ],
  ] as const) {
    it(`is refused: ${what}`, () => {
      assert.throws(() => read(body, boundary), { code: 'malformed' });
    });
  }

  const LIMITS: Limits = defineLimits({
    ...{ parts: 3, partHeaderBytes: 100, nameChars: 5, textChars: 10 },
  });
  const NAMED = 'Content-Disposition: form-data; name=a';
  /** A form that has so many of what each limit counts. */
  const HAVING = {
    parts: (n) => form(...Array.from({ length: n }, () => `--b\r\n${NAMED}\r\n\r\n`), '--b--'),
    partHeaderBytes: (n) => part(`${NAMED}\r\nX: `.padEnd(n, 'x'), '1'),
    nameChars: (n) => part(`Content-Disposition: form-data; name=${'a'.repeat(n)}`, '1'),
    textChars: (n) => part(NAMED, '1'.repeat(n)),
  } as const satisfies Partial<Record<keyof Limits, (n: number) => Buffer>>;

  for (const [name, having] of Object.entries(HAVING)) {
    it(`is read up to the limit ${name}, and refused over it`, () => {
      const limit = LIMITS[name as keyof typeof HAVING];
      for (const size of [1, 1000]) {
        assert.ok(read(having(limit), 'b', [size], LIMITS).length > 0);
        assert.throws(
          () => read(having(limit + 1), 'b', [size], LIMITS),
          (error) => error instanceof ReadError && error.limit === name,
        );
      }
    });
  }
});
