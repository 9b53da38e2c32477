import { CommandFailure } from '../failure.ts';

/** What a proxy needs to know of the service behind it. */
interface Behind {
  /** Public names of the service; at least one. */
  readonly names: readonly string[];
  /** `127.0.0.1:8080`, or the path of a Unix socket. */
  readonly at: string;
}

/**
 * The site of nginx for one node.
 * @param template the text of `deploy/nginx/ws01.conf`.
 * @param certificate the folder with `fullchain.pem` and `privkey.pem`; `undefined` for the server
 *   of port 80 alone, by which certbot gets the first certificate.
 */
export function nginxSite(
  template: string,
  { names, at }: Behind,
  certificate: string | undefined,
): string {
  const server = at.startsWith('/') ? `unix:${at}` : at;
  const site = replaced(template, [
    [/^# For \/etc\/nginx.*$/m, `# By ws01 install, from deploy/nginx/ws01.conf.`],
    [/^ {2}server 127\.0\.0\.1:8081.*\n {2}server 127\.0\.0\.1:8082.*$/m, `  server ${server};`],
    [/^ {2}server_name api\.example\.com;$/gm, `  server_name ${names.join(' ')};`],
    [/\/etc\/ssl\/ws01\//g, `${certificate}/`],
  ]);
  if (certificate !== undefined) return site;
  const last = site.lastIndexOf('\nserver {');
  return `# By ws01 install, until there is a certificate.\n${site.slice(last + 1)}`;
}

/** The site of Caddy for one node. @param template the text of `deploy/caddy/Caddyfile`. */
export function caddySite(template: string, { names, at }: Behind): string {
  const server = at.startsWith('/') ? `unix/${at}` : at;
  return replaced(template, [
    [
      /^# Two nodes behind Caddy/,
      '# By ws01 install, from deploy/caddy/Caddyfile. One node behind Caddy',
    ],
    [/^api\.example\.com \{$/m, `${names.join(', ')} {`],
    [/ 127\.0\.0\.1:8081 127\.0\.0\.1:8082 \{/, ` ${server} {`],
  ]);
}

/**
 * @throws {CommandFailure} when the template has not what is replaced: it is of another version.
 */
function replaced(template: string, pairs: readonly (readonly [RegExp, string])[]): string {
  let text = template;
  for (const [pattern, by] of pairs) {
    if (text.search(pattern) < 0)
      throw new CommandFailure(
        `The proxy file in deploy/ has no ${pattern.source}; install the release again.`,
      );
    text = text.replace(pattern, () => by);
  }
  return text;
}
