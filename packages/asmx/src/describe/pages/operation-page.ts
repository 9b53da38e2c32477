import { purposeOf, wordingInWsdl } from '../../contract/purpose.ts';
import type { Help, Operation, Service } from '../../contract/service.ts';
import { curlCommand } from '../samples/curl.ts';
import { isServedBy, type Sample, type Sampled, samplesOf } from '../samples/messages.ts';
import { type Snippet, snippetsOf } from '../samples/snippets.ts';
import { homeLink, type ServiceAddress } from '../service-address.ts';
import { codeBlock, copyButton, foldable, type Tab, tabGroup } from './blocks.ts';
import { html, type Markup } from './html.ts';
import { breakable, layout } from './layout.ts';
import { inEnglish, say, textOf } from './reader.ts';
import { testSection } from './test-form.ts';

/** The page of one operation: its purpose, a form that calls it, and samples for every binding. */
export function operationPage(
  service: Service,
  place: ServiceAddress,
  operation: Operation,
): string {
  const home = homeLink(place);
  const [purpose, wording] = [textOf(place, purposeOf(operation)), wordingInWsdl(operation)];
  const sampled = { service, place, operation };
  const samples = samplesOf(sampled);
  const isForm = isServedBy(sampled, 'post');
  return layout(service, place, {
    title: operation.name,
    hasOperations: true,
    current: operation.name,
    content: html`<p${inEnglish(place)}>Click <a href="${home}">here</a> for a complete list of operations.</p>
<h1>${breakable(operation.name)}</h1>
${purpose && html`<p class="purpose">${purpose}</p>`}
${wording && html`<p${inEnglish(place)}>${wording}</p>`}
${testSection(place, operation, isForm)}
${operation.help && helpSection(place, operation.help)}
<section aria-labelledby="samples">
<h2 id="samples">${say(place, 'Samples')}</h2>
<p class="switch" hidden><label><input type="checkbox" id="filled"> ${say(place, 'Show sample values instead of placeholders')}</label></p>
${programTabs(sampled, isForm)}
${samples.filter((sample) => !isOurs(sample)).map((sample) => sampleSection(place, sample))}
</section>`,
  });
}

/** Whether a sample is of a way to call that ASP.NET's page has not. */
const isOurs = ({ id }: Sample) => id === 'json';

/** What ASP.NET's page has not: the call in several languages, one at a time. */
function programTabs(sampled: Sampled, isForm: boolean): Markup | false {
  const { place, operation } = sampled;
  const tabs: readonly Tab[] = [
    ...(isForm || isServedBy(sampled, 'json') ? [curlTab(sampled, isForm)] : []),
    ...samplesOf(sampled)
      .filter(isOurs)
      .map((sample) => messagesTab(place, sample)),
    ...(isForm ? snippetsOf(place, operation) : []).map((snippet) => snippetTab(place, snippet)),
  ];
  return tabs.length > 0 && tabGroup('program', say(place, 'From a program'), tabs);
}

/** The answer: its description, an example, and the possible errors. */
function helpSection(place: ServiceAddress, { answer, example, errors }: Help): Markup {
  return html`<section aria-labelledby="result">
<h2 id="result">${say(place, 'Result')}</h2>
<p>${textOf(place, answer)}</p>
<figure class="code"><figcaption>${say(place, 'Example')} ${copyButton(place, 'example', say(place, 'Example').toLowerCase())}</figcaption><pre id="example">${indented(example)}</pre></figure>
${foldable(
  'errors',
  say(place, 'Errors'),
  html`<dl class="parameters">${Object.entries(errors).map(
    ([code, when]) => html`
<div><dt>${code}</dt><dd>${textOf(place, when)}</dd></div>`,
  )}
</dl>`,
)}
</section>`;
}

function indented(example: string): string {
  return /^[[{]/.test(example) ? JSON.stringify(JSON.parse(example), null, 2) : example;
}

function snippetTab(place: ServiceAddress, { id, title, pieces }: Snippet): Tab {
  return { id, title, content: codeBlock(place, `${id}-code`, 'Code', title, pieces) };
}

function messagesTab(place: ServiceAddress, sample: Sample): Tab {
  return { id: sample.id, title: sample.title, content: messages(place, sample) };
}

function curlTab(sampled: Sampled, isForm: boolean): Tab {
  const { place } = sampled;
  const binding = isForm ? 'HTTP POST' : 'JSON';
  return {
    id: 'curl',
    title: 'curl',
    content: html`<p>${say(place, 'The call over {binding} from a command line.', { binding })}</p>
${codeBlock(place, 'curl-command', 'Command', 'curl', curlCommand(sampled))}`,
  };
}

function sampleSection(place: ServiceAddress, sample: Sample): Markup {
  const { id, title } = sample;
  return html`<section aria-labelledby="${id}">
${foldable(
  id,
  title,
  html`<p${inEnglish(place)}>The following is a sample ${title} request and response.  The <var>placeholders</var> shown need to be replaced with actual values.</p>
${messages(place, sample)}`,
)}
</section>
`;
}

function messages(place: ServiceAddress, { id, title, request, response }: Sample): Markup {
  return html`${codeBlock(place, `${id}-request`, 'Request', title, request)}
${codeBlock(place, `${id}-response`, 'Response', title, response)}`;
}
