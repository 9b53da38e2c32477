import { REASONS, type Reason } from './differences.ts';
import { type Answer, type GoldenExchange, goldenExchanges, replay, sameAnswer } from './golden.ts';

/** A recorded exchange with this service's own answer. */
export interface Compared extends GoldenExchange {
  readonly ours: Answer;
  readonly same: boolean;
  readonly reasons: readonly Reason[];
}

/** Replays every recorded exchange against a service on a port. */
export async function compareAll(port: number): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const exchange of goldenExchanges()) {
    const ours = await replay(port, exchange);
    const reasons = REASONS.filter((reason) => reason.exchanges.includes(exchange.name));
    compared.push({ ...exchange, ours, same: sameAnswer(ours, exchange.recorded), reasons });
  }
  return compared;
}

/** What of an answer a person wants to see: its fault or error, its result, or its kind of page. */
function essence(answer: Answer): string {
  const type = answer.contentType.split(';')[0]!;
  if (answer.body === '') return answer.status === 0 ? 'connection closed' : 'empty';
  const part = (name: string) => new RegExp(`<${name}(?: [^>]*)?>([^<]*)`).exec(answer.body)?.[1];
  const code = part('faultcode') ?? part('soap:Value');
  if (code !== undefined) return `${code}: ${part('faultstring') ?? part('soap:Text')}`;
  const message = part('message');
  if (message !== undefined) return `${part('code')}: ${message}`;
  if (type === 'text/html') return 'a page';
  if (answer.body.includes('definitions')) return 'the WSDL';
  return part('\\w+Result') ?? part('string') ?? part('boolean') ?? answer.body.trim();
}

function cell(text: string): string {
  const line = text
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const shown = line.length > 160 ? `${line.slice(0, 160)}…` : line;
  return shown === '' ? '' : `\`${shown.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

/** `docs/compatibility.md`. */
export function compatibilityPage(compared: readonly Compared[]): string {
  const same = compared.filter((exchange) => exchange.same);
  const lines = [
    '# Compatibility with ASP.NET',
    '',
    `${compared.length} exchanges were recorded from an ASMX server of this very contract (Microsoft’s web service code,`,
    'running on Mono). Each is replayed, byte for byte, against this service. This page is written by',
    '`npm run compatibility`, and a test fails when it is no longer true.',
    '',
    `**${same.length}** answers are the same: status, content type and body. **${compared.length - same.length}** differ on purpose,`,
    'for the reasons below.',
    '',
  ];
  for (const reason of REASONS) {
    lines.push(`## ${reason.why}`, '', '| exchange | ASP.NET | this service |', '| --- | --- | --- |');
    for (const { name, recorded, ours } of compared.filter(({ reasons }) => reasons.includes(reason))) {
      const side = (answer: Answer) => `${answer.status} ${cell(essence(answer))}`;
      lines.push(`| ${name} | ${side(recorded)} | ${side(ours)} |`);
    }
    lines.push('');
  }
  lines.push('## The same', '', same.map(({ name }) => name).join(', '), '');
  return lines.join('\n');
}
