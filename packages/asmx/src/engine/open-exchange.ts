import type { CompiledOperation, CompiledService } from '../contract/compiled.ts';
import type { Service } from '../contract/service.ts';
import { ExchangeSink } from '../message/files/exchange-sink.ts';
import { header, parseContentType, type WireRequest } from '../message/http.ts';
import type { CallInfo, EndpointOptions } from './endpoint-options.ts';
import type { Exchange } from './exchange.ts';
import { Held } from './held.ts';
import { type Authorize, Intake } from './intake/intake.ts';

/** Makes the exchange of each request of an endpoint. */
export function exchangesOf<S extends Service, Context, Binary>(
  service: CompiledService,
  options: EndpointOptions<S, Context, Binary>,
): (request: WireRequest, pathInfo: string, query: string) => Exchange {
  const newRequestId = options.requestId ?? (() => crypto.randomUUID());
  const clientAddress = options.clientAddress ?? ((remote: string) => remote);
  const authorize = options.authorize as (
    operation: CompiledOperation['operation'],
    text: (parameter: string) => string | undefined,
    info: CallInfo,
  ) => unknown;
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
    const authorizeCall: Authorize = (protocol, { operation, indexByName }, textAt, headers) => {
      // Whose address is not known is not let in: budgets are kept by it.
      if (unknownClient !== undefined) throw unknownClient.error;
      const info = { request, requestId, address, protocol, headers };
      return authorize(operation, (parameter) => textAt(indexByName.get(parameter) ?? -1), info);
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
