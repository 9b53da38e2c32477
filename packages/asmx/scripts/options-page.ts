/** `npm run site`: writes `site/options.md`, the options and limits of `createEndpoint` by their own comments. */
import { readFile, writeFile } from 'node:fs/promises';
import { DEFAULT_LIMITS } from '../src/contract/limits.ts';

const OPTIONS_PAGE = new URL('../../../site/options.md', import.meta.url);

/** The members of an interface that have a comment: name, type, comment. */
function membersOf(source: string, name: string): readonly (readonly [string, string, string])[] {
  const [, body = ''] = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(
    source,
  )!;
  const members = body.matchAll(
    /(?:^ {2}\/\*\*([\s\S]*?)\*\/\n)? {2}readonly (\w+)(\??: [\s\S]*?);$/gm,
  );
  return [...members].map(([, comment = '', member = '', type = '']) => [
    member,
    type.replace(/^\??: /, '').replaceAll(/\s+/g, ' '),
    comment
      .replaceAll(/\n \s*\*/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ]);
}

/** So many characters a line. */
const WIDTH = 110;

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.replaceAll(/\{@link (\w+)\}/g, '`$1`').split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

function optionText([name, type, comment]: readonly [string, string, string]): string {
  const text = comment === '' ? '' : `\n${wrapped(comment)}\n`;
  return `\n### ${name}\n\n\`\`\`ts\n${name}: ${type}\n\`\`\`\n${text}`;
}

/** The page's text. */
export async function optionsPage(): Promise<string> {
  const read = (path: string) => readFile(new URL(`../src/${path}`, import.meta.url), 'utf8');
  const source = await read('engine/endpoint-options.ts');
  const options = ['EndpointOptions', 'Authorization', 'EndpointSettings'].flatMap((name) =>
    membersOf(source, name),
  );
  const limits = membersOf(await read('contract/limits.ts'), 'Limits');
  const defaultOf = (name: string) =>
    DEFAULT_LIMITS[name as keyof typeof DEFAULT_LIMITS].toLocaleString('en');
  const limitText = ([name, , comment]: (typeof limits)[number]) =>
    `\n### ${name}\n\n${wrapped(`${comment} By default ${defaultOf(name)}.`)}\n`;
  return `---
editLink: false
---

# Options

What \`createEndpoint(contract, { … })\` takes beside the contract; only \`path\` and \`handlers\` must be there.
Uploads to disk are \`createBinarySink\`, addresses behind a proxy \`baseUrl\`, an access log \`onAnswered\`.
${options.map(optionText).join('')}
## Limits

\`limits: defineLimits({ bodyBytes: 1_000_000 })\` changes some of these. None can be switched off.
${limits.map(limitText).join('')}`;
}

if (import.meta.main) await writeFile(OPTIONS_PAGE, await optionsPage());
