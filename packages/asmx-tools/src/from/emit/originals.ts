import { basename } from 'node:path';
import { utf16MarkOf } from '@ws01/asmx/internal/message/charset';
import type { LoadedDocument } from '../load/load.ts';
import { literal } from './literal.ts';
import type { ServiceParts } from './project-parts.ts';

/** A document that is served word for word. */
interface Served {
  readonly file: string;
  readonly query: string;
  readonly text: string;
  readonly document: LoadedDocument;
}

/**
 * The files of a project that serves the old documents: each as it was, and a module that says what asks for it, and
 * what its locations are here.
 */
export function originalFiles(
  documents: readonly LoadedDocument[],
  services: readonly ServiceParts[],
): Readonly<Record<string, string>> {
  const all = served(documents);
  const [home] = services[0]!.paths;
  const entries = all.map(({ query, file, text, document }) => {
    const locations = Object.fromEntries(
      locationsIn(text).flatMap((written) => {
        const path = pathOf(written, document, all, services, home);
        return path === undefined ? [] : [[written, path]];
      }),
    );
    return `  ${literal(query)}: { text: read(${literal(file)}), locations: ${literal(locations, 2)} },\n`;
  });
  return {
    ...Object.fromEntries(all.map(({ file, text }) => [`old/original/${file}`, text])),
    'src/originals.ts': `import { readFileSync } from 'node:fs';
import type { OriginalDocument } from '@ws01/asmx';

const read = (name: string) =>
  readFileSync(new URL(\`../old/original/\${name}\`, import.meta.url), 'utf8');

/** The WSDL and schemas of the old service, word for word; by location what is at another place here. */
export const ORIGINALS: Readonly<Record<string, OriginalDocument>> = {
${entries.join('')}};
`,
  };
}

function served(documents: readonly LoadedDocument[]): readonly Served[] {
  const [first] = documents;
  const taken = new Set<string>();
  return documents.map((document, index) => {
    const { url, kind, bytes } = document;
    const plain = (basename(url.pathname) || kind).replaceAll(/[^\w.-]+/g, '-');
    const extension = plain.toLowerCase().endsWith(`.${kind}`) ? '' : `.${kind}`;
    let file = `${plain}${extension}`;
    for (let at = 2; taken.has(file.toLowerCase()); at++) file = `${plain}-${at}${extension}`;
    taken.add(file.toLowerCase());
    // A service that answered its own schemas is asked for them as before.
    const isOwn = url.pathname === first!.url.pathname && url.search.length > 1;
    const own = isOwn ? decodeURIComponent(url.search.slice(1)) : `${kind}=${file}`;
    return { file, query: index === 0 ? 'wsdl' : own, text: textOf(bytes), document };
  });
}

/** What a location in a document names here; `undefined` for what is not here. */
function pathOf(
  written: string,
  document: LoadedDocument,
  all: readonly Served[],
  services: readonly ServiceParts[],
  home: `/${string}`,
): `/${string}` | undefined {
  const named = written.trim().replaceAll('&amp;', '&');
  const url = URL.parse(named, document.url);
  const other = all.find(
    ({ document: { url: at, asked } }) => url?.href === at.href || url?.href === asked.href,
  );
  if (other !== undefined)
    return `${home}${home.includes('?') ? '&' : '?'}${other.query.replaceAll(' ', '%20')}`;
  for (const { old, paths } of services) {
    const port = old.ports.findIndex(({ location }) => location === named);
    if (port >= 0) return paths[Math.min(port, paths.length - 1)];
  }
  return undefined;
}

function locationsIn(text: string): readonly string[] {
  const found = text.matchAll(/\b(?:schemaL|l)ocation\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return [...new Set([...found].map(([, double, single]) => double ?? single ?? ''))];
}

/** A document as text in UTF-8, which its declaration says then. */
function textOf(bytes: Uint8Array): string {
  const marked = utf16MarkOf(bytes);
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)/.exec(head)?.[1];
  const text = new TextDecoder(marked ?? declared ?? 'utf-8').decode(bytes);
  const isUtf8 = marked === undefined && /^utf-?8$/i.test(declared ?? 'utf-8');
  return isUtf8
    ? text
    : text.replace(/^(<\?xml[^>]*encoding\s*=\s*["'])[\w.-]+/, (_, before) => `${before}utf-8`);
}
