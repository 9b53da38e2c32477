import { type ErrorTable, ProtocolError } from '../contract/errors.ts';
import type { Service } from '../contract/service.ts';
import type { WireResponse } from '../message/http.ts';
import { DECLARATION, XML_TYPE } from '../xml/writer.ts';
import { disco } from './disco.ts';
import { answerDocument, createDocument, type Document } from './document.ts';
import { type DocumentAccess, openApi } from './openapi/document.ts';
import { Originals, originalText } from './original.ts';
import type { PageLanguages } from './page-language.ts';
import { PAGE_SECURITY_POLICY } from './pages/layout.ts';
import { operationPage } from './pages/operation-page.ts';
import { operationsPage } from './pages/operations-page.ts';
import { isPlain, readerOf } from './pages/reader.ts';
import { unknownOperationPage } from './pages/unknown-operation-page.ts';
import { parseDescriptionQuery } from './query.ts';
import { proxyScript } from './script.ts';
import { type ScriptKind, scriptKind } from './script-path.ts';
import type { ServiceAddress } from './service-address.ts';
import { wsdl } from './wsdl/wsdl.ts';

/** The parts of a GET or HEAD request that select its description. */
interface DescriptionRequest {
  /** The rest behind the service's path: `''`, or the path of a script. */
  readonly pathInfo?: string;
  /** The query without `?`, undecoded; `''` for none. */
  readonly query: string;
  /** The request's If-None-Match header, if it has one. */
  readonly ifNoneMatch?: string | undefined;
  /** The request's Accept-Language, if it has one. */
  readonly accepted?: string | undefined;
}

/**
 * The descriptions of a service at one address; each is generated at its first request, and cached.
 */
export interface Descriptions {
  /**
   * WSDL, DISCO or page for a request at the endpoint itself, chosen by the query as ASP.NET does;
   * below it a script.
   * @returns 200 or 304.
   * @throws {ProtocolError} `InvalidParameter` for `?wsdl=…`, and for `?schema=…` of no typed
   *   DataSet.
   */
  describe(request: DescriptionRequest): WireResponse;
  /** The OpenAPI document, for a request of `/openapi.json`. @returns 200 or 304. */
  openApi(request: Pick<DescriptionRequest, 'ifNoneMatch'>): WireResponse;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const PAGE_TYPE = 'text/html; charset=utf-8';
const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'Referrer-Policy': 'same-origin',
};

/**
 * Prepares the descriptions of a service.
 * @param errors every code the service can answer, for the OpenAPI document.
 * @param access who may call, for the same.
 * @param languages further ones of the pages.
 * @param originals documents that are served instead of generated ones.
 * @throws {TypeError} when the base URL of `place` is not a URL.
 */
export function createDescriptions(
  service: Service,
  errors: ErrorTable,
  place: ServiceAddress,
  access?: DocumentAccess,
  originals = new Originals(),
  languages?: PageLanguages,
): Descriptions {
  checkPlace(place);
  const operations = new Map(service.operations.map((operation) => [operation.name, operation]));
  const documents = new Map<string, Document>();
  const kept = (key: string, make: () => Document): Document => {
    const found = documents.get(key);
    if (found !== undefined) return found;
    const made = make();
    documents.set(key, made);
    return made;
  };

  // A page takes half a millisecond to make and 45 KB to keep, and any Host header has all of them.
  const keptIn = ({ reader }: ServiceAddress, key: string, make: () => Document) =>
    reader === undefined || isPlain(reader)
      ? kept(`${key} ${place.siteName?.() ?? ''}`, make)
      : make();

  const { dataSets = {} } = service;
  const isWcf = /\.svc$/i.test(place.path);
  const headers =
    languages === undefined ? PAGE_HEADERS : { ...PAGE_HEADERS, Vary: 'Accept-Language' };
  const page = (text: string) => createDocument(text, PAGE_TYPE, headers);

  const operationDocument = (name: string, at: ServiceAddress): Document => {
    const operation = operations.get(name);
    // A page with a name from the client is not cached, since there are too many.
    if (operation === undefined) return page(unknownOperationPage(service, at, name));
    return keptIn(at, `op ${name}`, () => page(operationPage(service, at, operation)));
  };

  const documentOf = (query: string, accepted: string | undefined): Document => {
    const original = originals.find(query);
    if (original !== undefined)
      return kept(`original ${original.key}`, () =>
        createDocument(originalText(original.document, place.baseUrl), XML_TYPE),
      );
    const wanted = parseDescriptionQuery(query, isWcf, Object.keys(dataSets));
    const placeIn = (asked: string | undefined): ServiceAddress =>
      languages === undefined ? place : { ...place, reader: readerOf(languages, asked, accepted) };
    switch (wanted.kind) {
      case 'wsdl':
      case 'soapWsdl':
        return kept(wanted.kind, () =>
          createDocument(wsdl(service, place, wanted.kind === 'soapWsdl'), XML_TYPE),
        );
      case 'schema':
        return kept(`schema ${wanted.name}`, () =>
          createDocument(DECLARATION + dataSets[wanted.name]!.schema, XML_TYPE),
        );
      case 'disco':
        return kept('disco', () => createDocument(disco(service, place), XML_TYPE));
      case 'operations': {
        const at = placeIn(wanted.language);
        return keptIn(at, 'operations', () => page(operationsPage(service, at)));
      }
      case 'operation':
        return operationDocument(wanted.name, placeIn(wanted.language));
      case 'missing':
        throw new ProtocolError(
          'InvalidParameter',
          wanted.message,
          {},
          { parameter: wanted.parameter },
        );
    }
  };

  const scriptDocument = (kind: ScriptKind) =>
    kept(kind, () => createDocument(proxyScript(service, place, kind === 'jsdebug'), SCRIPT_TYPE));

  const openApiDocument = () =>
    kept('openapi', () =>
      createDocument(JSON.stringify(openApi(service, errors, place, access), null, 2), JSON_TYPE),
    );

  return {
    describe: ({ pathInfo = '', query, ifNoneMatch, accepted }) => {
      const script = scriptKind(pathInfo);
      return answerDocument(
        script === undefined ? documentOf(query, accepted) : scriptDocument(script),
        ifNoneMatch,
      );
    },
    openApi: ({ ifNoneMatch }) => answerDocument(openApiDocument(), ifNoneMatch),
  };
}

function checkPlace({ baseUrl }: ServiceAddress): void {
  const url = URL.parse(baseUrl);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || baseUrl.endsWith('/')) {
    throw new TypeError(
      `The base URL must be an http or https URL without a final slash, not ${baseUrl}`,
    );
  }
}
