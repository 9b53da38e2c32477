import { type Compared, countVerdicts } from './compare.ts';
import { type Difference, SECTIONS } from './differences.ts';
import { TRAITS } from './recorder.ts';
import { UNRECORDED } from './unrecorded.ts';

const HEAD = ['| situation | ASP.NET | this service | why |', '| --- | --- | --- | --- |'];

/** `docs/compatibility.md`. */
export function compatibilityPage(compared: readonly Compared[]): string {
  const { same, recorder, purpose, unexplained } = countVerdicts(compared);
  return [
    '# Compatibility with ASP.NET',
    '',
    'Clients of an `.asmx` service change its URL and nothing else: what ASP.NET takes is taken, and what it answers is',
    'answered. This page lists every exception. Most are about calls that fail: there, status and words say more. Of those',
    'that succeed against ASP.NET, refused are only what it misreads in silence (a Body that contradicts the SOAPAction, a',
    'file that was cut off, characters that XML forbids), and what a proxy could read otherwise.',
    '',
    `${group(compared.length)} exchanges were recorded from an ASMX server of this very contract (Microsoft’s web service code, running on`,
    'Mono). Each request is replayed, byte for byte, and the answer compared to the byte: status line, `Content-Type`,',
    '`Cache-Control`, `Content-Encoding`, `Allow`, `Connection`, `jsonerror`, body, and what the operation understood.',
    '',
    `- **${group(same)}** answers are the same.`,
    `- **${group(recorder)}** are the same as on Windows; the recording server had [traits of its own](#the-recording-server).`,
    `- **${group(purpose)}** differ on purpose. For each, the answer is written down in \`apps/ws01/test/golden/*/differences.json\`, and its`,
    '  difference is a row below.',
    `- **${unexplained}** differ unexplained.`,
    '',
    'Everything on this page but the last table is written by `npm run compatibility` from the comparison itself; a test',
    'fails when the page, or an answer, is no longer true. `npm run compatibility -- FOLDER` compares recordings of your own',
    '(`NAME.req`, `NAME.res` in a folder below `FOLDER`).',
    '',
    ...SECTIONS.flatMap(({ title, differences }) => section(title, differences, compared)),
    '## Not in the recordings',
    '',
    ...HEAD,
    ...UNRECORDED.map(({ situation, asmx, ours, why }) => row(situation, asmx, ours, why)),
    '',
    '## The recording server',
    '',
    'Mono around Microsoft’s web service code; these traits are corrected before the comparison:',
    '',
    ...TRAITS.map(({ what }) => `- ${what}`),
    '',
  ].join('\n');
}

function section(
  title: string,
  differences: readonly Difference[],
  compared: readonly Compared[],
): string[] {
  const rows = differences.map((difference) => {
    const found = compared.filter((one) => one.difference === difference).map(({ name }) => name);
    return row(
      `${difference.situation}${examples(found)}`,
      difference.asmx,
      difference.ours,
      difference.why,
    );
  });
  return [`## ${title}`, '', ...HEAD, ...rows, ''];
}

/** How many exchanges show it, and one of them. */
function examples(names: readonly string[]): string {
  return ` <sub>${names.length === 1 ? '' : `${group(names.length)}, `}${names[0]}</sub>`;
}

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const group = (number: number): string => number.toLocaleString('en-US');
