import { ServiceError } from '../contract/errors.ts';
import type { CompiledOperation, CompiledService } from '../exchange/compiled.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { IncomingCall } from '../exchange/handler-call.ts';
import { Held } from '../exchange/held.ts';
import { type Authorize, Intake } from '../exchange/intake/intake.ts';
import { header, parseContentType, type WireRequest } from '../message/http.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import { SentRequest } from './open-call.ts';

/** Makes the exchange of each request of an endpoint. */
export function exchangesOf<Operations, Caller, File>(
  service: CompiledService,
  options: EndpointOptions<Operations, Caller, File>,
): (request: WireRequest, pathInfo: string, query: string) => Exchange {
  const newRequestId = options.requestId ?? (() => crypto.randomUUID());
  const clientAddress = options.clientAddress ?? ((remote: string) => remote);
  const { authorize } = options;
  return (request, pathInfo, query) => {
    const requestId = newRequestId(request);
    const { remoteAddress } = request;
    const forwardedFor = header(request, 'x-forwarded-for');
    let address = remoteAddress;
    let unknownClient: { readonly error: unknown } | undefined;
    try {
      address = clientAddress(remoteAddress, forwardedFor);
    } catch (error) {
      unknownClient = { error };
    }
    const authorizeCall: Authorize = (protocol, called, textAt, headers = {}) => {
      // Whose address is not known is not let in: budgets are kept by it.
      if (unknownClient !== undefined) throw unknownClient.error;
      if (authorize === undefined) return undefined;
      const known = { protocol, requestId, request, headers, address };
      // What headers a call has is known when it is read.
      const call = new UnknownCall(known, called, textAt) as never;
      return admitted(authorize(call));
    };
    return {
      request,
      service,
      fastPath: options.fastPath,
      requestId,
      address,
      contentType: parseContentType(header(request, 'content-type')),
      pathInfo,
      query,
      held: new Held(),
      intake: new Intake(service.limits, authorizeCall),
    };
  };
}

/**
 * The caller that `authorize` lets in, or a promise of it. `false` and `null` refuse the call, as
 * guards elsewhere do, and so does an error that is returned.
 * @throws {ServiceError} Unauthorized, or the error that was returned.
 */
function admitted(said: unknown): unknown {
  if (isThenable(said)) return Promise.resolve(said).then(admitted);
  if (said === false || said === null)
    throw new ServiceError(
      'Unauthorized',
      'The call is refused: its credential is absent, unknown or wrong.',
    );
  if (said instanceof Error) throw said;
  return said;
}

function isThenable(said: unknown): said is PromiseLike<unknown> {
  return typeof (said as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** What is known of a call beside its operation. */
type Known = Pick<IncomingCall, 'protocol' | 'requestId' | 'request' | 'headers'> & {
  readonly address: string;
};

/**
 * A call before it is let in. It has no function of its own, because V8 allocates a function
 * literal that is assigned to a property among the old objects: the whole message would outlive its
 * request until the next full garbage collection.
 */
class UnknownCall implements IncomingCall {
  readonly operation: IncomingCall['operation'];
  readonly protocol: string;
  readonly requestId: string;
  readonly request: WireRequest;
  readonly headers: IncomingCall['headers'];
  readonly #address: string;
  readonly #indexByName: CompiledOperation['indexByName'];
  readonly #textAt: (index: number) => string | undefined;

  constructor(
    { protocol, requestId, request, headers, address }: Known,
    { operation, indexByName }: CompiledOperation,
    textAt: (index: number) => string | undefined,
  ) {
    this.operation = operation;
    this.protocol = protocol;
    this.requestId = requestId;
    this.request = request;
    this.headers = headers;
    this.#address = address;
    this.#indexByName = indexByName;
    this.#textAt = textAt;
  }

  get http() {
    return new SentRequest(this.request, this.#address);
  }

  get text() {
    return (parameter: string) => this.#textAt(this.#indexByName.get(parameter) ?? -1);
  }
}
