import { ServiceError } from '../contract/errors.ts';
import type { CompiledService } from '../exchange/compiled.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { ExchangeSink } from '../exchange/files/exchange-sink.ts';
import { Held } from '../exchange/held.ts';
import { type Authorize, Intake } from '../exchange/intake/intake.ts';
import { header, parseContentType, type WireRequest } from '../message/http.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import { callRequest } from './open-call.ts';

/** Makes the exchange of each request of an endpoint. */
export function exchangesOf<Operations, Caller>(
  service: CompiledService,
  options: EndpointOptions<Operations, Caller>,
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
    const authorizeCall: Authorize = (
      protocol,
      { operation, indexByName },
      textAt,
      headers = {},
    ) => {
      // Whose address is not known is not let in: budgets are kept by it.
      if (unknownClient !== undefined) throw unknownClient.error;
      if (authorize === undefined) return undefined;
      const said = authorize({
        operation,
        protocol,
        requestId,
        request,
        headers,
        get http() {
          return callRequest(request, address);
        },
        text: (parameter) => textAt(indexByName.get(parameter) ?? -1),
      });
      return admitted(said);
    };
    const exchange: Exchange = {
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
      createSink: () => new ExchangeSink(exchange),
    };
    return exchange;
  };
}

/**
 * The caller that `authorize` lets in, or a promise of it. `false` and `null` refuse the call, as guards elsewhere do, and
 * so does an error that is returned.
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
