import { purposeOf } from '../../contract/purpose.ts';
import type { Operation, Service } from '../../contract/service.ts';
import {
  endpointUrl,
  homeLink,
  opLink,
  relativeEndpoint,
  type ServiceAddress,
  withQuery,
} from '../service-address.ts';
import { copyButton } from './blocks.ts';
import { html, type Markup } from './html.ts';
import { breakable, layout, sortedNames } from './layout.ts';
import { inEnglish, say, textOf } from './reader.ts';

/** The namespace Visual Studio starts with; ASP.NET's page warns of exactly this text. */
const DEFAULT_NAMESPACE = 'http://tempuri.org/';

/** The page at the endpoint itself: what the service is, and its operations with their purposes. */
export function operationsPage(service: Service, place: ServiceAddress): string {
  const home = relativeEndpoint(place);
  const byName = new Map(service.operations.map((operation) => [operation.name, operation]));
  return layout(service, place, {
    hasOperations: false,
    content: html`<h1>${service.name}</h1>
${service.documentation && html`<p class="purpose">${textOf(place, service.documentation)}</p>`}
<p${inEnglish(place)}>The following operations are supported.  For a formal definition, please review the
<a href="${withQuery(home, 'WSDL')}">Service Description</a>. </p>
<dl class="facts">
<div><dt>${say(place, 'Address')}</dt><dd><code id="address">${endpointUrl(place)}</code> ${copyButton(place, 'address', say(place, 'address'))}</dd></div>
<div><dt>${say(place, 'Namespace')}</dt><dd><code id="namespace">${place.namespace}</code> ${copyButton(place, 'namespace', say(place, 'namespace'))}</dd></div>
<div><dt>${say(place, 'Bindings')}</dt><dd>SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST, JSON</dd></div>
</dl>
${place.namespace === DEFAULT_NAMESPACE && namespaceWarning(place)}
<h2 id="operations">${say(place, 'Operations')}</h2>
<ul class="cards" aria-labelledby="operations">${sortedNames(service).map((name) => card(place, byName.get(name)!))}
</ul>`,
  });
}

function card(place: ServiceAddress, operation: Operation): Markup {
  const purpose = textOf(place, purposeOf(operation));
  const link = html`<a href="${opLink(homeLink(place), operation.name)}">${breakable(operation.name)}</a>`;
  return html`
<li>${link}${purpose && html`<p>${purpose}</p>`}</li>`;
}

function namespaceWarning(place: ServiceAddress): Markup {
  return html`<p class="notice"${inEnglish(place)}><strong>This web service is using http://tempuri.org/ as its default namespace.</strong>
Change the default namespace before the XML Web service is made public.</p>`;
}
