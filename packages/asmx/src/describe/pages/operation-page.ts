import type { Operation, Service } from '../../contract/service.ts';
import { relativeEndpoint, type ServiceAddress } from '../service-address.ts';
import { codeBlock } from './blocks.ts';
import { html, type Markup } from './html.ts';
import { breakable, layout } from './layout.ts';
import { curlCommand } from './samples/curl.ts';
import { type Sample, samplesOf } from './samples/messages.ts';
import { testSection } from './test-form.ts';

/** The page of one operation: its purpose, a form that calls it, and samples for every binding. */
export function operationPage(service: Service, place: ServiceAddress, operation: Operation): string {
  const home = relativeEndpoint(place);
  const samples = samplesOf(place, operation);
  return layout(service, place, {
    title: `${operation.name} – ${service.name} Web Service`,
    hasOperations: true,
    current: operation.name,
    content: html`<p>Click <a href="${home}">here</a> for a complete list of operations.</p>
<h1>${breakable(operation.name)}</h1>
${operation.documentation && html`<p class="purpose">${operation.documentation}</p>`}
${testSection(place, operation)}
<section aria-labelledby="samples">
<h2 id="samples">Samples</h2>
<nav class="jump" aria-label="Samples">${samples.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}<a href="#curl">curl</a></nav>
<p class="switch" hidden><label><input type="checkbox" id="filled"> Show sample values instead of placeholders</label></p>
${samples.map(sampleSection)}
${curlSection(place, operation)}
</section>`,
  });
}

function sampleSection({ id, title, request, response }: Sample): Markup {
  return html`<section aria-labelledby="${id}">
<h3 id="${id}">${title}</h3>
<p>The following is a sample ${title} request and response.  The <var>placeholders</var> shown need to be replaced with actual values.</p>
${codeBlock(`${id}-request`, 'Request', title, request)}
${codeBlock(`${id}-response`, 'Response', title, response)}
</section>
`;
}

function curlSection(place: ServiceAddress, operation: Operation): Markup {
  return html`<section aria-labelledby="curl">
<h3 id="curl">curl</h3>
<p>The same call over HTTP POST from a command line.</p>
${codeBlock('curl-command', 'Command', 'curl', curlCommand(place, operation))}
</section>`;
}
