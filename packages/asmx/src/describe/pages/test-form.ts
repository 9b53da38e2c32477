import { typeName } from '../../contract/scalar-facts.ts';
import type { Operation, Parameter } from '../../contract/service.ts';
import { relativeEndpoint, type ServiceAddress } from '../service-address.ts';
import { copyButton } from './blocks.ts';
import { html, type Markup, raw } from './html.ts';
import { inEnglish, say, sayMarkup, textOf } from './reader.ts';

/** A text that may be longer than this is written in a box of several lines; code points. */
const LONGEST_LINE = 2_048;

const BY_CURL = {
  curl: raw('<a href="#curl">curl</a>'),
  type: raw('<code>multipart/form-data</code>'),
};

/**
 * The form that calls an operation over HTTP POST, one control a parameter, in order. As in ASP.NET
 * there is none where a parameter is base64Binary (contract 1), or where HTTP POST cannot call it:
 * then the parameters are listed.
 */
export function testSection(place: ServiceAddress, operation: Operation, isForm: boolean): Markup {
  const hasFile = operation.parameters.some(({ type }) => type === 'base64Binary');
  return html`<section aria-labelledby="test">
<h2 id="test"${inEnglish(place)}>Test</h2>
${hasFile || !isForm ? list(place, operation, isForm) : form(place, operation)}
</section>`;
}

function list(place: ServiceAddress, { parameters, help }: Operation, isForm: boolean): Markup {
  return html`<p class="notice"><span${inEnglish(place)}>The test form is only available for methods with primitive types as parameters.</span>
${isForm && sayMarkup(place, 'This one takes a file; {curl} sends it as {type}.', BY_CURL)}</p>
${parameters.map((parameter) => described(place, parameter, html`<code>${parameter.name}</code>`, help?.required.includes(parameter.name) ?? false))}`;
}

function form(place: ServiceAddress, { name, parameters, help }: Operation): Markup {
  // Relative, so that it is right whatever host or path a proxy puts in front.
  const action = `./${relativeEndpoint({ ...place, query: undefined })}/${name}`;
  const refusals =
    help?.refusals !== undefined && html` data-refusals="${JSON.stringify(help.refusals)}"`;
  return html`<p${inEnglish(place)}>To test the operation using the HTTP POST protocol, click the 'Invoke' button.</p>
<form id="call" method="post" action="${action}" target="_blank"${refusals}>
${parameters.map((parameter) => field(place, parameter, help?.required.includes(parameter.name) ?? false))}
<div class="actions">
<button type="submit" class="primary"${inEnglish(place)}>Invoke</button>
<button type="button" id="fill" hidden>${say(place, 'Fill in sample values')}</button>
<button type="reset">${say(place, 'Clear')}</button>
</div>
</form>
<p id="state" role="status"></p>
<div id="answer" hidden>
<figure class="code">
<figcaption>${say(place, 'Answer')} ${copyButton(place, 'answer-body', say(place, 'Answer').toLowerCase())}</figcaption>
<pre id="answer-body"></pre>
</figure>
<figure class="code" id="answer-json" hidden>
<figcaption>${say(place, 'Result, as JSON')} ${copyButton(place, 'answer-json-text', say(place, 'Result').toLowerCase())}</figcaption>
<pre id="answer-json-text"></pre>
</figure>
<details>
<summary>${say(place, 'Response headers')}</summary>
<pre id="answer-headers"></pre>
</details>
</div>`;
}

function field(place: ServiceAddress, parameter: Parameter, isRequired: boolean): Markup {
  const label = html`<label for="p-${parameter.name}">${parameter.name}</label>`;
  return described(place, parameter, label, isRequired, control(parameter, isRequired));
}

function described(
  place: ServiceAddress,
  parameter: Parameter,
  label: Markup,
  isRequired: boolean,
  content?: Markup,
): Markup {
  return html`<div class="field">
<div class="label">${label} ${typeTag(place, parameter)}${isRequired && html` <span class="tag required">${say(place, 'required')}</span>`}</div>
${content}
<p class="hint" id="d-${parameter.name}">${textOf(place, parameter.documentation)}${limit(place, parameter)}</p>
</div>
`;
}

function control(
  { name, type, sample, maxLength, singleLine, secret, credential }: Parameter,
  isRequired: boolean,
): Markup {
  const required = isRequired && raw(' aria-required="true"');
  const common = html`id="p-${name}" name="${name}" aria-describedby="d-${name}" data-sample="${sample}" spellcheck="false"${required}`;
  if (credential)
    return html`<input type="text" ${common} data-credential autocomplete="off" autocapitalize="none">`;
  if (secret) return html`<input type="text" ${common} autocomplete="off" autocapitalize="none">`;
  if (type === 'int') return html`<input type="text" ${common} inputmode="numeric">`;
  if (type === 'boolean') {
    return html`<input type="text" ${common} list="l-${name}" autocapitalize="none" placeholder="false"><datalist id="l-${name}"><option value="true"><option value="false"></datalist>`;
  }
  if (type === 'string' && !singleLine && maxLength !== undefined && maxLength > LONGEST_LINE) {
    return html`<textarea ${common} rows="4"></textarea>`;
  }
  return html`<input type="text" ${common}>`;
}

function typeTag(place: ServiceAddress, { type, secret, credential }: Parameter): Markup {
  const said = credential ? 'credential' : secret && 'secret';
  return html`<span class="tag">${typeName(type)}</span>${said && html` <span class="tag secret">${say(place, said)}</span>`}`;
}

function limit(place: ServiceAddress, { maxLength }: Parameter): string {
  if (maxLength === undefined) return '';
  return ` ${say(place, 'At most {count} characters.', { count: maxLength.toLocaleString('en') })}`;
}
