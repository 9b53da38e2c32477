#!/usr/bin/env node
/**
 * A classifieds site of two pages, as a site that uses the service could begin. It reads by the public API and writes by
 * two SOAP calls, InsertArticle and submitReview. The token stays here; no browser sees it. No packages: Node alone.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { articlePage, errorPage, listPage } from './pages.js';
import { Refusal, Service } from './service.js';

const { values } = parseArgs({
  options: {
    service: {
      type: 'string',
      default: process.env.WS01_SERVICE ?? 'http://localhost:8080/WS01.asmx',
    },
    namespace: { type: 'string', default: process.env.WS01_NAMESPACE ?? 'urn:ws01' },
    port: { type: 'string', default: '8081' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  process.stdout.write(`WS01_TOKEN=… node examples/classifieds/site.js

  --service URL    of the operations (http://localhost:8080/WS01.asmx); WS01_SERVICE
  --namespace URI  of the operations, SOAP_NAMESPACE there (urn:ws01); WS01_NAMESPACE
  --port PORT      where to listen on this machine (8081); 0 takes a free port
`);
  process.exit(0);
}
const token = process.env.WS01_TOKEN ?? '';
if (token === '') {
  process.stderr.write(
    'Put a token with the scope articles into WS01_TOKEN; `ws01 demo` prints one.\n',
  );
  process.exit(2);
}
const service = new Service({ url: values.service, namespace: values.namespace, token });

/** Most of a form; bytes. */
const FORM_BYTES = 64 * 1024;

const STYLE = readFileSync(new URL('style.css', import.meta.url));
const HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src ${service.origin}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

const server = createServer(async (request, response) => {
  let answer;
  try {
    answer = await answerTo(request);
  } catch (error) {
    answer = {
      status: error instanceof Refusal ? error.status : 502,
      page: errorPage(sentenceOf(error)),
    };
  }
  const { status = 200, page, location, style } = answer;
  const type = style === undefined ? 'text/html; charset=utf-8' : 'text/css; charset=utf-8';
  response.writeHead(status, {
    ...HEADERS,
    'Content-Type': type,
    ...(location && { Location: location }),
  });
  response.end(request.method === 'HEAD' ? undefined : (style ?? page));
});

async function answerTo(request) {
  const url = new URL(request.url, 'http://site');
  const guid = url.searchParams.get('guid') ?? '';
  const asked = `${request.method === 'HEAD' ? 'GET' : request.method} ${url.pathname}`;
  switch (asked) {
    case 'GET /style.css':
      return { style: STYLE };
    case 'GET /':
      return { page: await list(url.searchParams) };
    case 'GET /article':
      return { page: await article(guid, { thanks: url.searchParams.has('thanks') }) };
    case 'POST /':
      return publish(await formOf(request));
    case 'POST /article':
      return review(guid, await formOf(request));
  }
  throw new Refusal('There is no such page.', 404);
}

/** The first page: what is published, the newest first, and the form to publish. */
async function list(search, form = {}) {
  const category = search.get('category') ?? undefined;
  const cursor = search.get('cursor') ?? undefined;
  const [articles, adverts] = await Promise.all([
    service.articles({ category, cursor }),
    service.adverts(category),
  ]);
  return listPage({ articles, adverts, category, ...form });
}

/** The second page: one article with its pictures and what people think of it. */
async function article(guid, form = {}) {
  const [shown, pictures] = await Promise.all([service.article(guid), service.pictures(guid)]);
  return articlePage({ article: shown, pictures, ...form });
}

async function publish(given) {
  try {
    return {
      status: 303,
      location: `/article?guid=${encodeURIComponent(await service.publish(given))}`,
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      status: error.status,
      page: await list(new URLSearchParams(), { given, problem: error.message }),
    };
  }
}

async function review(guid, given) {
  try {
    await service.review(guid, given);
    return { status: 303, location: `/article?guid=${encodeURIComponent(guid)}&thanks#reviews` };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, page: await article(guid, { given, problem: error.message }) };
  }
}

/** The fields of a form of our own pages. */
async function formOf(request) {
  const { origin, host } = request.headers;
  if (!URL.canParse(origin ?? '') || new URL(origin).host !== host) {
    throw new Refusal('This form was sent from elsewhere.', 403);
  }
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > FORM_BYTES) throw new Refusal('This is too long.', 413);
    pieces.push(piece);
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString()));
}

/** What a visitor is told; what went wrong here is for who runs the site. */
function sentenceOf(error) {
  if (error instanceof Refusal) return error.message;
  process.stderr.write(`${error.message}${error.cause ? `: ${error.cause.message}` : ''}\n`);
  return 'The market is closed for a moment. Please try again.';
}

server.listen(Number(values.port), 'localhost', () => {
  process.stdout.write(`http://localhost:${server.address().port}\n`);
});
server.on('error', ({ message }) => {
  process.stderr.write(`${message}; choose another with --port\n`);
  process.exitCode = 1;
});
