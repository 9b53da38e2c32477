import type { Binding } from '../exchange/binding.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { SOAP_NAMES } from '../exchange/soap-version.ts';
import { readGet, readPost } from './form/read.ts';
import { writeError as writeFormError } from './form/write-error.ts';
import { writeResult as writeFormResult } from './form/write-result.ts';
import { read as readJson } from './json/read.ts';
import { writeError as writeJsonError } from './json/write-error.ts';
import { writeResult as writeJsonResult } from './json/write-result.ts';
import { read as readMtom } from './mtom/read.ts';
import { writeError as writeMtomError } from './mtom/write-error.ts';
import { writeResult as writeMtomResult } from './mtom/write-result.ts';
import { read as readSoap } from './soap/read.ts';
import { writeError as writeSoapError } from './soap/write-error.ts';
import { writeResult as writeSoapResult } from './soap/write-result.ts';

/**
 * Whether the request has the method, and the path of the service itself, with any query (wire 2).
 */
const isToService = ({ request, pathInfo }: Exchange, method: string): boolean =>
  request.method === method && pathInfo === '';

/**
 * Whether it has the method, and the path of an operation: anything behind `/WS01.asmx/` (wire 2).
 */
const isToOperation = ({ request, pathInfo }: Exchange, method: string): boolean =>
  request.method === method && pathInfo.length >= 2;

/** HTTP GET: names and values in the query. */
const get: Binding = {
  names: ['get'],
  match: (exchange) => isToOperation(exchange, 'GET'),
  read: readGet,
  writeResult: writeFormResult,
  writeError: writeFormError,
};

/** The bindings, in the order of matching. HTTP GET and HTTP POST are one folder. */
export const BINDINGS: readonly Binding[] = [
  // MTOM: SOAP of both versions with files in parts beside the envelope (MTOM 3.2).
  {
    names: SOAP_NAMES,
    match: (exchange) =>
      isToService(exchange, 'POST') && exchange.contentType.base === 'multipart/related',
    read: readMtom,
    writeResult: writeMtomResult,
    writeError: writeMtomError,
  },
  // SOAP 1.1 and SOAP 1.2: one code; `exchange/soap-version.ts` holds their differences.
  {
    names: SOAP_NAMES,
    match: (exchange) => isToService(exchange, 'POST'),
    read: readSoap,
    writeResult: writeSoapResult,
    writeError: writeSoapError,
  },
  // JSON as in ASP.NET's script services: arguments in one object, the result in `d`.
  {
    names: ['json'],
    match: (exchange) =>
      isToOperation(exchange, 'POST') && exchange.contentType.base.trim() === 'application/json',
    read: readJson,
    writeResult: writeJsonResult,
    writeError: writeJsonError,
  },
  get,
  // HTTP POST: names and values in the body.
  {
    names: ['post'],
    match: (exchange) => isToOperation(exchange, 'POST'),
    read: readPost,
    writeResult: writeFormResult,
    writeError: writeFormError,
  },
];

/** Writes the errors of requests that match no binding. */
export const FALLBACK_BINDING: Binding = get;
