import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { apiFor } from './api-client.ts';
import { BODY_POLICY } from './guard.ts';
import type { Content, Html } from './layout.ts';
import { segmentOf } from './paths.ts';
import { picturesOf } from './pictures.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

interface SeenMembers {
  readonly title: string;
  readonly text: string;
  /** Members that say again what the state says. */
  readonly same: readonly string[];
}

/** What visitors of the site see of a record. */
export const SEEN: Readonly<Record<string, SeenMembers>> = {
  articles: { title: 'caption', text: 'content', same: ['status', 'isPublic'] },
  adverts: { title: 'title', text: 'detail', same: [] },
};

/** Whether the frame, or another member, shows a member of a record. */
export function isShownAbove(kind: string, name: string): boolean {
  // The body of a mail has a frame of its own.
  if (kind === 'mails') return name === 'body';
  // A bar shows how far it is.
  if (kind === 'backups') return ['step', 'done', 'total'].includes(name);
  // The picture itself; its widths are for pages.
  if (name === 'srcset' || name === 'iconUrl') return true;
  const { title, text, same } = SEEN[kind] ?? { same: [] };
  return [title, text, ...same].includes(name);
}

/** As of a mail's body; pictures of this service are loaded, too. */
const SEEN_POLICY = BODY_POLICY.replace('img-src data:', "img-src data: 'self'");

/** Pages that show a record as visitors see it: as it is stored, and as a form would have it. */
export function seenRoutes(deps: ConsoleDeps): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  for (const kind of Object.keys(SEEN)) {
    app.get(`/${kind}/:key/seen`, async (c) => {
      const api = apiFor(deps, c);
      const item = await api.get(`/${kind}/${segmentOf(c.req.param('key'))}`);
      return answer(deps, c, kind, item, await picturesOf(api, String(item.guid)));
    });
    app.post(`/${kind}/seen`, async (c) => {
      const form: Record<string, unknown> = await c.req.parseBody();
      const item = Object.fromEntries(
        Object.entries(form).map(([name, value]) => [name.replace(/^b-/, ''), value]),
      );
      const pictures = await picturesOf(apiFor(deps, c), String(form.key ?? ''));
      return answer(deps, c, kind, item, pictures);
    });
  }
  return app;
}

async function answer(
  deps: ConsoleDeps,
  c: C,
  kind: string,
  item: Item,
  pictures: Awaited<ReturnType<typeof picturesOf>>,
): Promise<Response> {
  const { title, text } = SEEN[kind]!;
  const [said, written] = [String(item[title] ?? ''), String(item[text] ?? '')];
  const body: Content = (await deps.isHtml(written))
    ? raw(written)
    : html`<p class="text">${written}</p>`;
  const link =
    item.linkUrl === undefined || item.linkUrl === null || item.linkUrl === ''
      ? ''
      : html`<p><u>${String(item.linkTxt || item.linkUrl)}</u></p>`;
  const shown = html`<!DOCTYPE html>
<html lang=""><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${said}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;margin:1rem;overflow-wrap:anywhere;background:#fff;color:#111}
h1{font-size:1.4rem;line-height:1.25}img{max-width:100%}p>img{max-height:10rem}.text{white-space:pre-wrap}</style></head>
<body><h1>${said}</h1>${
    pictures.length === 0
      ? ''
      : html`<p>${pictures.map(
          ({ path }) => html`<img src="${path}"
alt=""> `,
        )}</p>`
  }${body}${link}</body></html>`;
  return c.html(shown, 200, { 'Content-Security-Policy': SEEN_POLICY });
}

/** The frame with a record as visitors see it; empty for one that is not there yet. */
export function seenFrame(c: C, kind: string, key?: string): Html {
  const title = c.get('visit').translate('desk.seen');
  const src = key === undefined ? '' : html` src="${HOME}/${kind}/${segmentOf(key)}/seen"`;
  return html`<iframe class="preview" name="seen" sandbox="" title="${title}"${src}></iframe>`;
}

/** The button that shows in the frame what visitors would see. The script of the page presses it while one types. */
export function previewButton(c: C, kind: string): Content {
  if (!(kind in SEEN)) return '';
  return html`<button formaction="${HOME}/${kind}/seen" formtarget="seen"
formnovalidate data-preview>${c.get('visit').translate('list.preview')}</button>`;
}
