import { purposeOf, wordingInWsdl } from '../../contract/purpose.ts';
import type { Help, Operation, Service } from '../../contract/service.ts';
import { curlCommand } from '../samples/curl.ts';
import { isServedBy, type Sample, type Sampled, samplesOf } from '../samples/messages.ts';
import { type Snippet, snippetsOf } from '../samples/snippets.ts';
import { relativeEndpoint, type ServiceAddress } from '../service-address.ts';
import { codeBlock, copyButton, type Tab, tabGroup } from './blocks.ts';
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
<p class="switch" hidden><label><input type="checkbox" id="filled"> Show sample values instead of placeholders</label></p>
${programTabs(sampled, isForm)}
${samples.filter((sample) => !isOurs(sample)).map(sampleSection)}
</section>`,
  });
}

/** Whether a sample is of a way to call that ASP.NET's page has not. */
const isOurs = ({ id }: Sample) => id === 'json';

/** What ASP.NET's page has not: the call in several languages, one at a time. */
function programTabs(sampled: Sampled, isForm: boolean): Markup | false {
  const tabs: readonly Tab[] = [
    ...(isForm || isServedBy(sampled, 'json') ? [curlTab(sampled, isForm)] : []),
    ...samplesOf(sampled).filter(isOurs).map(messagesTab),
    ...(isForm ? snippetsOf(sampled.place, sampled.operation) : []).map(snippetTab),
  ];
  return tabs.length > 0 && tabGroup('program', 'From a program', tabs);
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

function snippetTab({ id, title, pieces }: Snippet): Tab {
  return { id, title, content: codeBlock(`${id}-code`, 'Code', title, pieces) };
}

function messagesTab(sample: Sample): Tab {
  return { id: sample.id, title: sample.title, content: messages(sample) };
}

function curlTab(sampled: Sampled, isForm: boolean): Tab {
  return {
    id: 'curl',
    title: 'curl',
    content: html`<p>The call over ${isForm ? 'HTTP POST' : 'JSON'} from a command line.</p>
${codeBlock('curl-command', 'Command', 'curl', curlCommand(sampled))}`,
  };
}

function sampleSection(sample: Sample): Markup {
  const { id, title } = sample;
  return html`<section aria-labelledby="${id}">
<h3 id="${id}">${title}</h3>
<p>The following is a sample ${title} request and response.  The <var>placeholders</var> shown need to be replaced with actual values.</p>
${messages(sample)}
</section>
`;
}

function messages({ id, title, request, response }: Sample): Markup {
  return html`${codeBlock(`${id}-request`, 'Request', title, request)}
${codeBlock(`${id}-response`, 'Response', title, response)}`;
}
