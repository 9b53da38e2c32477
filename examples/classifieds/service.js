import { randomUUID } from 'node:crypto';

/** How long an answer is waited for; ms. */
const PATIENCE_MS = 10_000;

/** A sentence for the visitor. */
export class Refusal extends Error {
  /** @param status of HTTP, for the page that shows it. */
  constructor(message, status = 400) {
    super(message);
    this.status = status;
  }
}

/**
 * The user for a name that a visitor typed. The token may write as anybody, so that what somebody types must never be
 * the id of a user who is known otherwise.
 */
function visitorOf(name) {
  return name?.trim() ? `visitor-${name.trim()}` : '';
}

/** The service as this site uses it. */
export class Service {
  #url;
  #namespace;
  #token;

  constructor({ url, namespace, token }) {
    this.#url = url;
    this.#namespace = namespace;
    this.#token = token;
    /** Where its pictures are. */
    this.origin = new URL(url).origin;
  }

  /** Published articles, the newest first: `{ items, next }`; `next` is the cursor of the next page. */
  articles({ category, cursor }) {
    return this.#read('/articles', { limit: 12, categoryGuid: category, cursor });
  }

  /** @throws {Refusal} when it is not there, or not published. */
  article(guid) {
    return this.#read(`/articles/${encodeURIComponent(guid)}`);
  }

  async pictures(guid) {
    return (await this.#read('/images', { linkGuid: guid, limit: 10 })).items;
  }

  async adverts(category) {
    return (await this.#read('/adverts', { current: true, postAtCategoryGuid: category, limit: 5 }))
      .items;
  }

  /** Publishes an article. @returns its key. */
  publish({ caption, content, category, phone, name }) {
    return this.#call('InsertArticle', {
      token: this.#token,
      guid: randomUUID(),
      caption,
      content,
      categoryGuid: category,
      contactPhone: phone,
      // .NET's "no date"
      pinnedTopDueDate: '0001-01-01T00:00:00',
      CreateUserId: visitorOf(name),
      Status: '0',
    });
  }

  /** Says what a visitor thinks of an article. */
  review(guid, { vote, mark, remark, name }) {
    return this.#call('submitReview', {
      id: guid,
      IsPositive: vote,
      Mark: remark || mark,
      userId: visitorOf(name),
    });
  }

  /** Asks the public API, which needs no credential. */
  async #read(path, query = {}) {
    const url = new URL(`/api/v1/public${path}`, this.origin);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const body = await answer.json();
    if (answer.ok) return body;
    if (answer.status < 500) throw new Refusal(body.detail, answer.status);
    throw new Error(`${url} answered ${answer.status}: ${body.detail} (request ${body.requestId})`);
  }

  /** Calls an operation by SOAP 1.1. @returns the text of its result. */
  async #call(operation, parameters) {
    const elements = Object.entries(parameters).map(
      ([name, value = '']) => `<${name}>${escaped(value)}</${name}>`,
    );
    const body = `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<${operation} xmlns="${escaped(this.#namespace)}">${elements.join('')}</${operation}>
</soap:Body></soap:Envelope>`;
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'Content-Type': 'text/xml; charset=utf-8',
        SOAPAction: `"${this.#namespace.replace(/\/$/, '')}/${operation}"`,
      },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.text();
    if (answer.ok) return textOf(text, `${operation}Result`);
    const sentence = textOf(text, 'faultstring');
    if (textOf(text, 'faultcode') === 'soap:Client') throw new Refusal(sentence);
    throw new Error(
      `${operation} answered ${answer.status}: ${sentence} (request ${textOf(text, 'requestId')})`,
    );
  }
}

/** The text of the first element of that name; empty without one. */
function textOf(xml, name) {
  return unescaped(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '');
}

function escaped(text) {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}

function unescaped(text) {
  const named = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_whole, hex, decimal, name) =>
    name === undefined
      ? String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal))
      : (named[name] ?? ''),
  );
}
