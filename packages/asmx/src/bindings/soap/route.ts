import { type CompiledOperation, type CompiledService, soapActionOf } from '../../contract/compiled.ts';
import { ProtocolError } from '../../engine/errors.ts';
import { type ContentType, header, type WireRequest } from '../../message/http.ts';
import { versionOfMediaType } from './version.ts';

/**
 * What the headers say about the operation, before the body is read.
 *
 * - `decisive`: a SOAPAction that must be known and must agree with the body (SOAP 1.1's rules);
 * - otherwise a hint: the `action` parameter of SOAP 1.2, or nothing; the body element routes when it is unknown.
 */
export interface ActionRoute {
  readonly decisive: boolean;
  /** The action as sent, unquoted and decoded; `undefined` when there was none. */
  readonly action: string | undefined;
  readonly operation: CompiledOperation | undefined;
}

/**
 * Reads SOAPAction, or the `action` parameter where SOAPAction does not count: with the media type of SOAP 1.2, or when
 * it is absent, empty or `*` (wire 3; section 0 for the empty one).
 * @param contentType of the envelope: in MTOM that of its part.
 * @throws {ProtocolError} UnknownOperation for a SOAPAction that names none.
 */
export function routeByAction(service: CompiledService, request: WireRequest, contentType: ContentType): ActionRoute {
  const soapAction = header(request, 'soapaction');
  if (soapAction !== undefined && versionOfMediaType(contentType.base)?.hasSoapAction) {
    const action = decodeAction(unquote(saidOnce(soapAction)));
    if (action !== '' && action !== ANY_ACTION) {
      const operation = service.byAction.get(action) ?? service.byAction.get(asUtf8(action));
      if (operation === undefined && service.sharedActions.has(action)) return { decisive: false, action, operation };
      if (operation === undefined) throw unknownSoapAction(service, action);
      return { decisive: true, action, operation };
    }
  }
  const parameter = contentType.parameters.get('action');
  if (parameter === undefined || parameter === '') return { decisive: false, action: undefined, operation: undefined };
  const action = decodeAction(parameter);
  return { decisive: false, action, operation: service.byAction.get(action) };
}

/** What clients made by Mono's svcutil send for every operation. */
const ANY_ACTION = '*';

/** A header that is sent twice with the same value arrives as one with a comma between. */
function saidOnce(value: string): string {
  const half = (value.length - 2) / 2;
  const twice = value.slice(half, half + 2) === ', ' && value.slice(0, half) === value.slice(half + 2);
  return twice ? value.slice(0, half) : value;
}

/** One pair of double quotes, only if both ends have one. */
function unquote(value: string): string {
  const text = value.trim();
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** URL-decodes as ASP.NET does: `+` is a blank, bad escapes stay as they are. */
function decodeAction(value: string): string {
  if (!value.includes('%') && !value.includes('+')) return value;
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}

/** A name beyond ASCII in a header: Node gives its bytes as characters. */
function asUtf8(action: string): string {
  return Buffer.from(action, 'latin1').toString('utf8');
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

function unknownSoapAction({ namespace, operations }: CompiledService, action: string): ProtocolError {
  const example = soapActionOf(namespace, operations.keys().next().value ?? 'Operation');
  return new ProtocolError(
    'UnknownOperation',
    `The SOAPAction "${short(action)}" names no operation of this service; it should look like "${example}".`,
    { faultstring: `Server did not recognize the value of HTTP Header SOAPAction: ${short(action)}.` },
    { requested: action },
  );
}

/** No SOAPAction, no known body element: nothing says which operation is meant (wire 4.4). */
export function noOperation(
  { namespace }: CompiledService,
  route: ActionRoute,
  found: string | undefined,
): ProtocolError {
  const what = found === undefined ? 'The Body holds no element' : `The Body element ${short(found)} is no operation`;
  const message = `${what}; it must hold one element named like the operation, in the namespace ${namespace}.`;
  const faultstring =
    route.action === undefined
      ? 'Unable to handle request without a valid action parameter. Please supply a valid soap action.'
      : `Unable to handle request. The action '${short(route.action)}' was not recognized.`;
  const requested = found ?? route.action;
  return new ProtocolError('UnknownOperation', message, { faultstring }, requested === undefined ? {} : { requested });
}

/** The headers name one operation, the Body another: refused, because running either would be a guess (wire 0). */
export function contradiction(
  { namespace }: CompiledService,
  operation: CompiledOperation,
  found: string,
): ProtocolError {
  return new ProtocolError(
    'MalformedRequest',
    `The SOAP action names ${operation.name}, but the Body holds ${short(found)}; ` +
      `it should hold {${namespace}}${operation.name}.`,
  );
}
