/**
 * The entry `./mcp`: the operations of an endpoint as tools of the Model Context Protocol, over
 * streamable HTTP. It needs `@modelcontextprotocol/sdk`, which you must install.
 * @packageDocumentation
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { RETRY_AFTER_S, ServiceError } from '@ws01/asmx/internal/contract/errors';
import { BINDING_NAMES, type Service } from '@ws01/asmx/internal/contract/service';
import { parseWithDigits } from '@ws01/asmx/internal/lexical/json-number';
import { bytesBody } from '@ws01/asmx/internal/message/http';
import { countBody } from '@ws01/asmx/internal/node/count-body';
import { headerFields } from '../client/header-fields.ts';
import { JsonAnswerReader, type ValueForms } from '../client/json-values.ts';
import { MessageBodies } from './message-bodies.ts';
import { readMessages } from './messages.ts';
import type { McpCaller, McpOptions } from './options.ts';
import { type OperationTool, SOAP_HEADERS, toolsOf, wholeResult } from './tools.ts';

export type { McpCaller, McpOptions } from './options.ts';

/**
 * Serves a request of `node:http` to the path of the tools.
 * @param awaitsContinue whether the client waits for `100 Continue`, which this then sends.
 * @returns false if the path is not that of the tools; then nothing was done.
 */
export type McpListener = (
  req: IncomingMessage,
  res: ServerResponse,
  awaitsContinue?: boolean,
) => boolean;

const BODY_BYTES = 4 * 1024 * 1024;
/** Twice as many as an endpoint takes of a call. */
const ITEMS = 20_000;
/** How much of an unknown name is repeated. */
const SHOWN_CHARS = 100;

/**
 * Creates a listener for `node:http` that serves the operations as tools, without sessions.
 * @throws {TypeError} for a service without the JSON binding.
 * @throws {Error} when the SDK is not installed.
 */
export async function createMcp<S extends Service>(options: McpOptions<S>): Promise<McpListener> {
  const { service, path = '/mcp', bodyBytes = BODY_BYTES, items = ITEMS } = options;
  if (!(service.bindings ?? BINDING_NAMES).includes('json'))
    throw new TypeError('Tools are called by JSON: switch the binding json on.');
  const { paths } = options.endpoint;
  if (paths !== undefined && !paths.includes(options.servicePath))
    throw new TypeError(
      `servicePath: the endpoint is at ${paths.join(', ')}, not at ${options.servicePath}.`,
    );
  const sdk = await loadSdk();
  const tools = toolsOf(service, options);
  const reader = new JsonAnswerReader(service, TEXTS);
  const bodies = new MessageBodies(bodyBytes);
  const hosts = new Set((options.hosts ?? []).map((host) => host.toLowerCase()));

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    // A page of another site must not call a server that only this machine, or this network,
    // reaches.
    if (!isOwnPage(req.headers, hosts))
      return refuse(res, 403, 'Pages of other sites may not call these tools.');
    // Without sessions there is nothing to be told of later, and nothing to end.
    if (req.method !== 'POST')
      return refuse(res, 405, 'This server keeps no sessions: send a POST.', { Allow: 'POST' });
    // In the endpoint's account until it is there; then among those that are answered.
    countBody(req, res, options.endpoint);
    const body = await bodies.read(req, res);
    if (body === 'gone') return;
    if (body === 'too long') return refuse(res, 413, `A message may have ${bodyBytes} bytes.`);
    if (body === 'crowded')
      return refuse(res, 503, 'Too much is arriving at once; try again later.', {
        'Retry-After': String(RETRY_AFTER_S),
      });
    const read = readMessages(body.toString('utf8'), items);
    if ('reason' in read) return refuse(res, read.status, read.reason, {}, read.code);
    await answer(req, res, read.messages);
  };

  const answer = async (
    req: IncomingMessage,
    res: ServerResponse,
    messages: unknown,
  ): Promise<void> => {
    // Calls that are not answered when the connection closes are given up.
    const gone = new AbortController();
    const caller = { headers: req.headers, remoteAddress: req.socket.remoteAddress ?? '' };
    const server = new sdk.Server(
      { name: service.name, version: '1.0.0' },
      {
        capabilities: { tools: {} },
        ...(service.documentation ? { instructions: service.documentation } : {}),
      },
    );
    server.setRequestHandler(sdk.ListToolsRequestSchema, async () => {
      const allows = await shown(() => options.allows?.(caller, bearer(caller)));
      return {
        tools: tools.filter(({ operation }) => allows?.(operation) ?? true).map(({ tool }) => tool),
      };
    });
    server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params }) => {
      const found = tools.find(({ tool }) => tool.name === params.name);
      if (found === undefined)
        return failure(`There is no tool ${params.name.slice(0, SHOWN_CHARS)}.`);
      return call(found, params.arguments ?? {}, caller, gone.signal, options, reader);
    });
    const transport = new sdk.StreamableHTTPServerTransport({ enableJsonResponse: true });
    res.once('close', () => {
      if (!res.writableFinished) gone.abort();
      transport.close();
      server.close();
    });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(req, res, messages);
  };

  return (req, res, awaitsContinue = false) => {
    const at = (req.url ?? '').split('?', 1)[0];
    if (at !== path) return false;
    if (awaitsContinue) res.writeContinue();
    serve(req, res).catch((error: unknown) => {
      process.emitWarning(error instanceof Error ? error : new Error(String(error)));
      if (!res.headersSent) refuse(res, 500, 'The server failed.', {}, -32_603);
      else res.destroy();
    });
    return true;
  };
}

/** Calls an operation by JSON. @returns the result of its tool */
async function call<S extends Service>(
  { operation, credential }: OperationTool<S>,
  given: Readonly<Record<string, unknown>>,
  caller: McpCaller,
  gone: AbortSignal,
  options: McpOptions<S>,
  reader: JsonAnswerReader,
) {
  const token = bearer(caller);
  const { [SOAP_HEADERS]: soapHeaders, ...own } = given;
  const input =
    credential === undefined || token === undefined ? own : { ...own, [credential]: token };
  const response = await options.endpoint.request({
    method: 'POST',
    target: `${options.servicePath}/${encodeURIComponent(operation.name)}`,
    headers: {
      ...callHeaders(caller.headers),
      ...headerFields(operation, objectOf(soapHeaders)),
      'content-type': 'application/json; charset=utf-8',
    },
    body: bytesBody(Buffer.from(JSON.stringify(input))),
    remoteAddress: caller.remoteAddress,
    gone: () => gone,
  });
  const text = String(response?.body ?? '');
  if (response === undefined || response.status >= 400) return failure(reasonIn(text));
  const d = text === '' ? undefined : (parseWithDigits(text) as { readonly d?: unknown }).d;
  const structuredContent = wholeResult(operation, d, reader, response.headers['X-Error-Code']);
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

const objectOf = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null ? { ...given } : {};

/**
 * What a service says to callers; its defects are for its log.
 * @throws {Error} whose message may be shown.
 */
async function shown<T>(say: () => T): Promise<Awaited<T>> {
  try {
    return await say();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    throw new Error('The server failed.');
  }
}

/** Dates and large numbers as texts: a reader's numbers may be doubles. */
const TEXTS: ValueForms = {
  dateTime: (ms) => new Date(ms).toISOString(),
  large: (digits) => digits,
  bytes: (base64) => base64,
  hex: (text) => text,
};

async function loadSdk() {
  try {
    const [
      { Server },
      { StreamableHTTPServerTransport },
      { CallToolRequestSchema, ListToolsRequestSchema },
    ] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    return { Server, StreamableHTTPServerTransport, CallToolRequestSchema, ListToolsRequestSchema };
  } catch (error) {
    throw new Error(
      'MCP needs the package @modelcontextprotocol/sdk: npm install @modelcontextprotocol/sdk',
      {
        cause: error,
      },
    );
  }
}

/** What of a message's headers concerns the call in it, and not the message. */
function callHeaders(headers: McpCaller['headers']): McpCaller['headers'] {
  const {
    'content-length': _,
    'content-encoding': __,
    'transfer-encoding': ___,
    expect: ____,
    ...kept
  } = headers;
  return kept;
}

/**
 * Whether no page asks, or one of this server. The page of a foreign name that was made to point
 * here (DNS rebinding) has the same origin as its Host: so the name must be known; addresses and
 * localhost are nobody's to point elsewhere.
 */
function isOwnPage({ origin, host }: McpCaller['headers'], hosts: ReadonlySet<string>): boolean {
  if (origin === undefined) return true;
  const page = typeof origin === 'string' ? URL.parse(origin) : null;
  if (page === null || page.host !== String(host).toLowerCase()) return false;
  const { hostname } = page;
  return (
    hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || hosts.has(hostname)
  );
}

function bearer({ headers }: McpCaller): string | undefined {
  const given = headers.authorization;
  return /^bearer +(\S+) *$/i.exec(typeof given === 'string' ? given : '')?.[1];
}

function failure(text: string) {
  return { isError: true, content: [{ type: 'text' as const, text }] };
}

/** What the problem details of an answer say. */
function reasonIn(text: string): string {
  try {
    const { code, detail } = JSON.parse(text) as {
      readonly code?: string;
      readonly detail?: string;
    };
    if (code !== undefined) return `${code}: ${detail}`;
  } catch {}
  return 'The service did not answer.';
}

/** Refuses in the form of JSON-RPC. */
function refuse(
  res: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = -32_000,
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  // What is still arriving is nobody's.
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    ...(status === 413 || status === 503 ? { Connection: 'close' } : {}),
  });
  res.end(body);
}
