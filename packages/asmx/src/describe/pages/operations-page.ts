import { purposeOf } from '../../contract/purpose.ts';
import type { Operation, Service } from '../../contract/service.ts';
import {
  endpointUrl,
  opLink,
  relativeEndpoint,
  type ServiceAddress,
  withQuery,
} from '../service-address.ts';
import { copyButton } from './blocks.ts';
import { html, type Markup } from './html.ts';
import { breakable, layout, sortedNames } from './layout.ts';

/** The namespace Visual Studio starts with; ASP.NET's page warns of exactly this text. */
const DEFAULT_NAMESPACE = 'http://tempuri.org/';

/** The page at the endpoint itself: what the service is, and its operations with their purposes. */
export function operationsPage(service: Service, place: ServiceAddress): string {
  const home = relativeEndpoint(place);
  const byName = new Map(service.operations.map((operation) => [operation.name, operation]));
  return layout(service, place, {
    title: `${service.name} Web Service`,
    hasOperations: false,
    content: html`<h1>${service.name}</h1>
${service.documentation && html`<p class="purpose">${service.documentation}</p>`}
<p>The following operations are supported.  For a formal definition, please review the
<a href="${withQuery(home, 'WSDL')}">Service Description</a>. </p>
<dl class="facts">
<div><dt>Address</dt><dd><code id="address">${endpointUrl(place)}</code> ${copyButton('address', 'address')}</dd></div>
<div><dt>Namespace</dt><dd><code id="namespace">${place.namespace}</code> ${copyButton('namespace', 'namespace')}</dd></div>
<div><dt>Bindings</dt><dd>SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST, JSON</dd></div>
</dl>
${place.namespace === DEFAULT_NAMESPACE && namespaceWarning()}
<h2 id="operations">Operations</h2>
<ul class="cards" aria-labelledby="operations">${sortedNames(service).map((name) => card(home, byName.get(name)!))}
</ul>`,
  });
}

function card(home: string, operation: Operation): Markup {
  const purpose = purposeOf(operation);
  const link = html`<a href="${opLink(home, operation.name)}">${breakable(operation.name)}</a>`;
  return html`
<li>${link}${purpose && html`<p>${purpose}</p>`}</li>`;
}

function namespaceWarning(): Markup {
  return html`<p class="notice"><strong>This web service is using http://tempuri.org/ as its default namespace.</strong>
Change the default namespace before the XML Web service is made public.</p>`;
}
