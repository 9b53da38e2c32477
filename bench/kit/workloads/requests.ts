/** A call of an operation written out for each binding, as clients in the field send it. */
import type { OperationName } from '../../../apps/ws01/src/contract/service.ts';
import { envelope } from '../../../apps/ws01/test/kit/bindings.ts';
import { NAMESPACE } from '../../../apps/ws01/test/kit/names.ts';
import { fillIn } from '../load/outgoing-request.ts';
import type { HttpRequest } from '../sides/http.ts';

/** Values of parameters as text; they may hold placeholders of `outgoing-request.ts`. */
export type Params = Readonly<Record<string, string>>;

export const BINDINGS = ['SOAP 1.1', 'SOAP 1.2', 'GET', 'POST', 'JSON'] as const;
export type Binding = (typeof BINDINGS)[number];

const SERVICE_PATH = '/WS01.asmx';

const WRITERS: Readonly<
  Record<Binding, (operation: OperationName, params: Params) => HttpRequest>
> = {
  'SOAP 1.1': (operation, params) => ({
    method: 'POST',
    path: SERVICE_PATH,
    headers: {
      'Content-Type': 'text/xml; charset=utf-8',
      SOAPAction: `"${NAMESPACE}/${operation}"`,
    },
    body: envelope('soap11', operation, params),
  }),
  'SOAP 1.2': (operation, params) => ({
    method: 'POST',
    path: SERVICE_PATH,
    headers: { 'Content-Type': 'application/soap+xml; charset=utf-8' },
    body: envelope('soap12', operation, params),
  }),
  GET: (operation, params) => ({
    method: 'GET',
    path: `${SERVICE_PATH}/${operation}?${new URLSearchParams(params)}`,
    headers: {},
    body: '',
  }),
  POST: (operation, params) => ({
    method: 'POST',
    path: `${SERVICE_PATH}/${operation}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams(params)),
  }),
  JSON: (operation, params) => ({
    method: 'POST',
    path: `${SERVICE_PATH}/${operation}`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(params),
  }),
};

export function requestOf(binding: Binding, operation: OperationName, params: Params): HttpRequest {
  return WRITERS[binding](operation, params);
}

/** The request with numbers in place of the placeholders. */
export function numbered(request: HttpRequest, serial: number): HttpRequest {
  return { ...request, path: fillIn(request.path, serial), body: fillIn(request.body, serial) };
}
