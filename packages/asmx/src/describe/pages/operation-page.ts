import { purposeOf, wordingInWsdl } from '../../contract/purpose.ts';
import type { Help, Operation, Service } from '../../contract/service.ts';
import { curlCommand } from '../samples/curl.ts';
import { isServedBy, type Sample, type Sampled, samplesOf } from '../samples/messages.ts';
import { type Snippet, snippetsOf } from '../samples/snippets.ts';
import { relativeEndpoint, type ServiceAddress } from '../service-address.ts';
import { codeBlock, copyButton } from './blocks.ts';
import { html, type Markup } from './html.ts';
import { breakable, layout } from './layout.ts';
import { testSection } from './test-form.ts';

/** The page of one operation: its purpose, a form that calls it, and samples for every binding. */
export function operationPage(
  service: Service,
  place: ServiceAddress,
  operation: Operation,
): string {
  const home = relativeEndpoint(place);
  const [purpose, wording] = [purposeOf(operation), wordingInWsdl(operation)];
  const sampled = { service, place, operation };
  const samples = samplesOf(sampled);
  const isForm = isServedBy(sampled, 'post');
  const snippets = isForm ? snippetsOf(place, operation) : [];
  const curl = isForm || isServedBy(sampled, 'json') ? [{ id: 'curl', title: 'curl' }] : [];
  return layout(service, place, {
    title: `${operation.name} – ${service.name} Web Service`,
    hasOperations: true,
    current: operation.name,
    content: html`<p>Click <a href="${home}">here</a> for a complete list of operations.</p>
<h1>${breakable(operation.name)}</h1>
${purpose && html`<p class="purpose">${purpose}</p>`}
${wording && html`<p>${wording}</p>`}
${testSection(place, operation, isForm)}
${operation.help && helpSection(operation.help)}
<section aria-labelledby="samples">
<h2 id="samples">Samples</h2>
<nav class="jump" aria-label="Samples">${[...samples, ...curl, ...snippets].map(jumpLink)}</nav>
<p class="switch" hidden><label><input type="checkbox" id="filled"> Show sample values instead of placeholders</label></p>
${samples.map(sampleSection)}
${curl.map(() => curlSection(sampled, isForm))}
${snippets.map(snippetSection)}
</section>`,
  });
}

function jumpLink({ id, title }: { readonly id: string; readonly title: string }): Markup {
  return html`<a href="#${id}">${title}</a>`;
}

/** The answer: its description, an example, and the possible errors. */
function helpSection({ answer, example, errors }: Help): Markup {
  return html`<section aria-labelledby="result">
<h2 id="result">Result</h2>
<p>${answer}</p>
<figure class="code"><figcaption>Example ${copyButton('example', 'example')}</figcaption><pre id="example">${indented(example)}</pre></figure>
<h3 id="errors">Errors</h3>
<dl class="parameters">${Object.entries(errors).map(
    ([code, when]) => html`
<div><dt>${code}</dt><dd>${when}</dd></div>`,
  )}
</dl>
</section>`;
}

function indented(example: string): string {
  return /^[[{]/.test(example) ? JSON.stringify(JSON.parse(example), null, 2) : example;
}

function snippetSection({ id, title, pieces }: Snippet): Markup {
  return html`<section aria-labelledby="${id}">
<h3 id="${id}">${title}</h3>
${codeBlock(`${id}-code`, 'Code', title, pieces)}
</section>`;
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

function curlSection(sampled: Sampled, isForm: boolean): Markup {
  return html`<section aria-labelledby="curl">
<h3 id="curl">curl</h3>
<p>The same call over ${isForm ? 'HTTP POST' : 'JSON'} from a command line.</p>
${codeBlock('curl-command', 'Command', 'curl', curlCommand(sampled))}
</section>`;
}
