/** A part of a message, decoded. */
export interface MimePart {
  readonly type: string;
  readonly text: string;
}

/** The text parts of a message, in order; written out for tests, so that they do not rest on what they test. */
export function partsOf(raw: string): MimePart[] {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replaceAll(/\r\n[ \t]/g, ' ');
  const body = raw.slice(end + 4);
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1];
  if (boundary === undefined) return [decodePart(head, body)];
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => partsOf(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
}

function decodePart(head: string, body: string): MimePart {
  const type = /^content-type:\s*([^;\r\n]+)/im.exec(head)?.[1]?.toLowerCase() ?? 'text/plain';
  const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(head)?.[1]?.toLowerCase();
  if (encoding === 'base64') return { type, text: Buffer.from(body, 'base64').toString('utf8') };
  if (encoding === 'quoted-printable')
    return { type, text: decodeQuoted(body.replaceAll(/=\r\n/g, '')) };
  // A stuffed or flowed line is put together again (RFC 3676).
  const flowed = /format=flowed/i.test(head);
  return { type, text: flowed ? body.replaceAll(/ \r\n/g, ' ').replaceAll(/^ /gm, '') : body };
}

function decodeQuoted(text: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const hex = text[at] === '=' ? text.slice(at + 1, at + 3) : '';
    bytes.push(/^[0-9A-F]{2}$/.test(hex) ? Number.parseInt(hex, 16) : text.charCodeAt(at));
    if (/^[0-9A-F]{2}$/.test(hex)) at += 2;
  }
  return Buffer.from(bytes).toString('utf8');
}

/** A header with its encoded words and quoted strings as a reader shows them (RFC 2047). */
export function decodeWords(header: string): string {
  const bytes = header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      (kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64')
        : Buffer.from(decodeQuoted(text.replaceAll('_', ' ')), 'utf8')
      ).toString('latin1'),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
