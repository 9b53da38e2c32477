import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { MEDIA_PATH } from '../domain/values/image-url.ts';
import { apiFor } from './api-client.ts';
import type { Kind } from './catalog.ts';
import { BODY_POLICY } from './guard.ts';
import type { Content, Html } from './layout.ts';
import { segmentOf } from './paths.ts';
import { type Picture, picturesOf } from './pictures.ts';
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
  // Its heading, its picture and where it leads.
  if (kind === 'links') return ['url', 'qrUrl', 'orgUrl'].includes(name);
  // The attempts are steps; the webhook is there by its key.
  if (kind === 'deliveries') return ['tries', 'webhook', 'lastReply', 'body'].includes(name);
  // A notice above has it.
  if (kind === 'webhooks') return name === 'lastReply';
  // The buttons say it.
  if (kind === 'users') return name === 'hasContent';
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
  pictures: readonly Picture[],
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
  const images = await Promise.all(
    pictures.map(async (one) => html`<img src="${await framedPath(deps, one)}" alt=""> `),
  );
  const shown = html`<!DOCTYPE html>
<html lang=""><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${said}</title>
${groundOf(c, written)}
<style>body{font:1rem/1.5 system-ui,sans-serif;margin:1rem;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.25}img{max-width:100%}p>img{max-height:10rem}.text{white-space:pre-wrap}</style></head>
<body><h1>${said}</h1>${images.length === 0 ? '' : html`<p>${images}</p>`}${body}${link}</body></html>`;
  return c.html(shown, 200, { 'Content-Security-Policy': SEEN_POLICY });
}

/** The address of a picture in the frame, which has no session: one that visitors do not get is in the page itself. */
async function framedPath({ media }: ConsoleDeps, { fileGuid, path }: Picture): Promise<string> {
  if (path.startsWith(MEDIA_PATH)) return path;
  const found = await media.findByKey(fileGuid, { isFor: 'admins', rendition: 'icon' });
  if (found.kind !== 'found') return path;
  const { medium } = found;
  const bytes = Buffer.concat(await Array.fromAsync(await medium.pieces()));
  return `data:${medium.contentType};base64,${bytes.toString('base64')}`;
}

/** Words by which markup gives itself colours: these were chosen for a white page. */
const COLOURED = /\b(?:color|background|bgcolor)\b/i;

/** The ground of what people wrote, as a style: that of the page around it, white under colours of its own. */
export function groundOf(c: C, written: string): Html {
  const { theme } = c.get('visit').choices;
  const scheme = theme === 'auto' ? 'light dark' : theme;
  return html`<style>:root{color-scheme:${COLOURED.test(written) ? 'light' : scheme};background:light-dark(#fff,#1c2027);color:light-dark(#111,#e6e9ee)}</style>`;
}

/** A picture that would be loaded from elsewhere, which the policy of a frame forbids. */
const REMOTE_PICTURE = /\bsrc\s{0,9}=\s{0,9}["']?https?:/i;

/** Whether a frame lacks pictures of its markup. */
export const hasRemotePicture = (markup: string): boolean => REMOTE_PICTURE.test(markup);

/** The addresses of pictures that this service has. */
const OWN_PICTURE = /https?:\/\/[^\s"'<>/]{1,300}\/media\//gi;

/** What a line of a frame takes; px. */
const LINE_PX = 24;
/** About so many characters are in a line. */
const LINE_CHARS = 50;
/** What has a height that no count of lines tells. */
const TALL = /<(?:img|table|style|video|svg)\b/i;

/** The height that a frame takes for markup, as far as that can be told without its browser, as an attribute; px. */
export function heightOf(markup: string, linesAbove: number): Content {
  if (TALL.test(markup)) return '';
  const lines = markup
    .split(/\n|<(?:br|p|div|li|tr|h\d)\b[^<>]*>/i)
    .map((line) => Math.ceil(line.replaceAll(/<[^<>]*>/g, '').trim().length / LINE_CHARS));
  const count = lines.reduce((sum, one) => sum + (one === 0 ? 0.5 : one), linesAbove + 2);
  return html` height="${Math.round(count * LINE_PX)}"`;
}

/** Characters of a text that are shown at once; the others unfold. */
export const SHOWN_CHARS = 4_000;

/** The text of a record that visitors see. */
export const writtenOf = (kind: string, item: Item) =>
  String(item[SEEN[kind]?.text ?? 'remark'] ?? '');

/** Whether the text of a record is markup, which a frame shows as it looks, with title and pictures. */
export async function isFramed(
  { isHtml }: Pick<ConsoleDeps, 'isHtml'>,
  kind: string,
  item: Item,
): Promise<boolean> {
  return kind in SEEN && (await isHtml(writtenOf(kind, item)));
}

/** What visitors see of a record: plain text within the page, markup in a frame. */
export async function seenText(
  deps: Pick<ConsoleDeps, 'isHtml'>,
  c: C,
  { name, key }: Pick<Kind, 'name' | 'key'>,
  item: Item,
): Promise<Content> {
  const text = writtenOf(name, item);
  if (!(await isFramed(deps, name, item))) return plainText(c, text);
  const lacks = hasRemotePicture(text.replaceAll(OWN_PICTURE, ''));
  const hint = lacks ? html`<p class="hint">${c.get('visit').translate('desk.remote')}</p>` : '';
  return html`${hint}${seenFrame(c, name, String(item[key]), heightOf(text, 3))}`;
}

/** A text as it was written; what is long unfolds. */
export function plainText(c: C, text: string): Content {
  if (text === '') return '';
  const part = (some: string) => html`<p class="text"><bdi>${some}</bdi></p>`;
  if (text.length <= SHOWN_CHARS) return part(text);
  const begin = [...text.slice(0, SHOWN_CHARS)].slice(0, -1).join('');
  const { translate } = c.get('visit');
  return html`${part(`${begin}…`)}<details><summary>${translate('desk.more')}</summary>${part(text)}</details>`;
}

/** The frame with a record as visitors see it; empty for one that is not there yet. */
export function seenFrame(c: C, kind: string, key?: string, height: Content = ''): Html {
  const title = c.get('visit').translate('desk.seen');
  const src = key === undefined ? '' : html` src="${HOME}/${kind}/${segmentOf(key)}/seen"`;
  return html`<iframe class="preview" name="seen" sandbox="" title="${title}"${src}${height}></iframe>`;
}

/** The button that shows in the frame what visitors would see. The script of the page presses it while one types. */
export function previewButton(c: C, kind: string): Content {
  if (!(kind in SEEN)) return '';
  return html`<button formaction="${HOME}/${kind}/seen" formtarget="seen"
data-preview>${c.get('visit').translate('list.preview')}</button>`;
}
