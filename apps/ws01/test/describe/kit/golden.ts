import { readFileSync } from 'node:fs';

/** The body of a recorded answer of the ASP.NET server; `meta/wsdl` is `apps/ws01/test/golden/meta/wsdl.res`. */
export function goldenBody(name: string): string {
  const recorded = readFileSync(new URL(`../../golden/${name}.res`, import.meta.url), 'utf8');
  return recorded.slice(recorded.indexOf('\r\n\r\n') + 4);
}
