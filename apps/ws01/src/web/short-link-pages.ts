import { html } from 'hono/html';
import type { Link } from '../domain/links/links.ts';
import type { Language } from './language.ts';
import { type SiteVisit, sitePage } from './site-page.ts';
import { siteText } from './site-texts.ts';

/**
 * The page that shows the target of a link without redirecting. The target is shown as it will be
 * requested: names in other scripts as `xn--…`, so that they cannot imitate other names.
 *
 * @param url the short link.
 */
export function previewPage(
  visit: SiteVisit,
  link: Link,
  url: string,
): ReturnType<typeof sitePage> {
  const { language } = visit;
  const { code, target, deadline, created_at } = link;
  const until = deadline === null ? '' : withTime(language, 'preview.until', deadline);
  return sitePage(
    visit,
    siteText(language, 'preview.title'),
    html`<p>${siteText(language, 'preview.leads', { url })}</p>
      <p><a class="target" href="${target}" rel="noopener noreferrer nofollow">${target}</a></p>
      <p>${withTime(language, 'preview.made', created_at)} ${until}</p>
      <img src="${code}.svg" alt="${siteText(language, 'preview.code')}" width="192" height="192" />`,
  );
}

/** What is shown of a link that leads nowhere. */
export function noLinkPage(
  visit: SiteVisit,
  why: 'unknown' | 'ended',
): ReturnType<typeof sitePage> {
  const { language } = visit;
  return sitePage(
    visit,
    siteText(language, `${why}.title`),
    html`<p>${siteText(language, `${why}.text`)}</p>`,
  );
}

function withTime(language: Language, name: 'preview.made' | 'preview.until', at: number) {
  const text = new Date(at).toISOString();
  const [before, after] = siteText(language, name, { time: '\n' }).split('\n');
  return html`${before}<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>${after}`;
}
