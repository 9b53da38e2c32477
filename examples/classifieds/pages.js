/** The two pages, as HTML without a script. */

/** Texts put into {@link html} are escaped, unless they are HTML already. */
class Html {
  constructor(text) {
    this.text = text;
  }
}

function html(parts, ...values) {
  return new Html(parts.reduce((text, part, at) => text + written(values[at - 1]) + part));
}

function written(value) {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(written).join('');
  if (value === undefined || value === null || value === false) return '';
  const names = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(value).replace(/[&<>"']/g, (character) => names[character]);
}

export function listPage({ articles, adverts, category, given = {}, problem }) {
  const categories = [
    ...new Set(articles.items.map(({ categoryGuid }) => categoryGuid).filter(Boolean)),
  ];
  const pinnedFirst = articles.items.toSorted(
    (one, other) => Number(other.isPinned) - Number(one.isPinned),
  );
  return page(
    category === undefined ? 'Corner Market' : `${category} – Corner Market`,
    html`<h1>${category ?? 'New on the market'}</h1>
<nav aria-label="Categories" class="categories">
${category === undefined ? categories.map((name) => html`<a href="/?category=${encodeURIComponent(name)}">${name}</a>`) : html`<a href="/">Everything</a>`}
<a class="sell" href="#sell">Sell something</a>
</nav>
<div class="columns"><div>
${articles.items.length === 0 ? html`<p>Nothing yet.</p>` : html`<ul class="cards">${pinnedFirst.map(card)}</ul>`}
${articles.next === null ? '' : html`<p><a href="/?${query({ category, cursor: articles.next })}">Older ones</a></p>`}
</div>
${adverts.length === 0 ? '' : html`<aside aria-labelledby="adverts"><h2 id="adverts">Adverts</h2>${adverts.map(advert)}</aside>`}
</div>
<section id="sell" aria-labelledby="sell-heading"><h2 id="sell-heading">Sell something</h2>
<form method="post" action="/#sell">
${problemOf(problem)}
${field('caption', 'What is it?', given, 'required maxlength=200')}
<label>Tell more<textarea name="content" rows="4" required maxlength="20000">${given.content}</textarea></label>
${field('category', 'Category', given, 'maxlength=64')}
${field('phone', 'Phone to show', given, 'type=tel maxlength=50 autocomplete=tel')}
${field('name', 'Your name', given, 'required maxlength=56 autocomplete=nickname')}
<button>Publish</button>
</form></section>`,
  );
}

function card({ guid, caption, excerpt, categoryGuid, isPinned, iconUrl, rating }) {
  return html`<li class="card">
${iconUrl === null ? html`<div class="no-picture"></div>` : html`<img src="${iconUrl}" alt="" width="256" height="192" loading="lazy">`}
<h2><a href="/article?guid=${encodeURIComponent(guid)}">${caption || 'Untitled'}</a></h2>
<p>${excerpt}</p>
<p class="about">${isPinned && html`<b>On top</b> `}${categoryGuid} ${ratingOf(rating)}</p></li>
`;
}

function advert({ title, detail, linkUrl, linkTxt, imageUrl, imageSrcset }) {
  const sizes = widths(imageSrcset, '(min-width: 48rem) 16rem, 100vw');
  const picture = imageUrl && html`<img src="${imageUrl}" ${sizes} alt="" loading="lazy">`;
  return html`<article>${picture}<h3>${title}</h3><p>${detail}</p>
${linkUrl && html`<p><a rel="nofollow ugc" href="${linkUrl}">${linkTxt || linkUrl}</a></p>`}</article>`;
}

export function articlePage({ article, pictures, given = {}, problem, thanks }) {
  const { guid, caption, content, categoryGuid, contactPhone, createdAt, rating } = article;
  const posted = new Date(createdAt).toLocaleDateString('en-GB', { dateStyle: 'long' });
  return page(
    `${caption || 'Untitled'} – Corner Market`,
    html`<p class="back"><a href="/">Everything</a>${categoryGuid && html` › <a href="/?category=${encodeURIComponent(categoryGuid)}">${categoryGuid}</a>`}</p>
<article><h1>${caption || 'Untitled'}</h1>
<p class="about">Since <time datetime="${createdAt}">${posted}</time> ${ratingOf(rating)}</p>
${pictures.map((one) => pictureOf(one, caption))}
<p class="content">${content}</p>
${contactPhone && html`<p>Call <a href="tel:${contactPhone.replaceAll(/[^+\d]/g, '')}">${contactPhone}</a></p>`}
</article>
<section id="reviews" aria-labelledby="reviews-heading"><h2 id="reviews-heading">What do you think?</h2>
${thanks && html`<p role="status" class="thanks">Thank you. ${spoken(rating)}</p>`}
<form method="post" action="/article?guid=${encodeURIComponent(guid)}#reviews">
${problemOf(problem)}
<fieldset><legend>Would you recommend it?</legend>
${[
  ['true', 'Yes'],
  ['false', 'No'],
  ['', 'I do not say'],
].map(
  ([value, label]) =>
    html`<label><input type="radio" name="vote" value="${value}" required ${given.vote === value && 'checked'}>${label}</label>`,
)}
</fieldset>
<label>Mark<select name="mark"><option value="">none</option>${[5, 4, 3, 2, 1].map((mark) => html`<option ${given.mark === String(mark) && 'selected'}>${mark}</option>`)}</select></label>
<label>Or a remark, instead of a mark<textarea name="remark" rows="2" maxlength="2000">${given.remark}</textarea></label>
${field('name', 'Your name', given, 'required maxlength=56 autocomplete=nickname')}
<button>Say so</button>
</form></section>`,
  );
}

export function errorPage(sentence) {
  return page(
    'Corner Market',
    html`<h1>Sorry</h1><p>${sentence}</p><p><a href="/">To the market</a></p>`,
  );
}

function pictureOf({ url, srcset, width, height }, caption) {
  const sizes = widths(srcset, '(min-width: 42rem) 40rem, 100vw');
  const size = html`width="${width}" height="${height}"`;
  return (
    url && html`<img class="picture" src="${url}" ${sizes} ${size} alt="Picture of: ${caption}">`
  );
}

/** The widths of a picture, of which the browser takes the one that its screen needs; an animation has none. */
function widths(srcset, sizes) {
  return srcset && html`srcset="${srcset}" sizes="${sizes}"`;
}

/** @param attributes of the input, without values that need quotes. */
function field(name, label, given, attributes) {
  return html`<label>${label}<input name="${name}" value="${given[name]}" ${new Html(attributes)}></label>`;
}

function problemOf(sentence) {
  return sentence && html`<p role="alert" class="problem">${sentence}</p>`;
}

function ratingOf(rating) {
  const { positive, negative, averageMark } = rating;
  if (positive + negative === 0 && averageMark === null) return '';
  return html`<span class="rating">${averageMark !== null && html`<span aria-hidden="true">★</span> ${averageMark} `}<span class="hidden">${spoken(rating)}</span><span aria-hidden="true">▲ ${positive} ▼ ${negative}</span></span>`;
}

function spoken({ positive, negative, averageMark, marks }) {
  const votes = `${positive} recommend it, ${negative} do not.`;
  return averageMark === null ? votes : `${votes} ${averageMark} of 5 from ${marks}.`;
}

function query(parameters) {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

function page(title, content) {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="/style.css"></head>
<body><a class="skip" href="#main">Skip to content</a>
<header><a href="/">Corner Market</a></header>
<main id="main" tabindex="-1">${content}</main>
<footer>An example site on WS01.</footer></body></html>
`.text;
}
