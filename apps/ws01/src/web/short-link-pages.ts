import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Link } from '../domain/links/links.ts';
import { UNCACHED } from '../failure/answer-headers.ts';

const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 40rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
.target { display: block; padding: .75rem 1rem; border: 1px solid; border-radius: .5rem; overflow-wrap: anywhere; }
img { display: block; width: 12rem; height: 12rem; margin-top: 1.5rem; background: #fff; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Only the page's own style and the link's own QR code; no frames, no search engines. */
export const PAGE_HEADERS = {
  ...UNCACHED,
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
} as const;

type Html = ReturnType<typeof html>;

/**
 * The page that shows the target of a link without redirecting. The target is shown as it will be requested: names in
 * other scripts as `xn--…`, so that they cannot imitate other names.
 *
 * @param url the short link.
 */
export function previewPage({ code, target, deadline, created_at }: Link, url: string): Html {
  return page(
    'Where this short link leads',
    html`<p>${url} leads to</p>
      <p><a class="target" href="${target}" rel="noopener noreferrer nofollow">${target}</a></p>
      <p>
        Made on ${time(created_at)}.
        ${deadline === null ? '' : html`It works until ${time(deadline)}.`}
      </p>
      <img src="${code}.svg" alt="QR code of the short link" width="192" height="192" />`,
  );
}

export function unknownPage(): Html {
  return page(
    'No such link',
    html`<p>There is no short link here. Perhaps a character is missing or mistyped.</p>`,
  );
}

export function endedPage(): Html {
  return page(
    'This link has ended',
    html`<p>It has expired or was taken down, and leads nowhere any more.</p>`,
  );
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
}

function time(instant: number): Html {
  const text = new Date(instant).toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
