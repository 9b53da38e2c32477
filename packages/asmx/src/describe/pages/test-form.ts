import { typeName } from '../../contract/scalar-facts.ts';
import type { Operation, Parameter } from '../../contract/service.ts';
import { relativeEndpoint, type ServiceAddress } from '../service-address.ts';
import { copyButton } from './blocks.ts';
import { html, type Markup, raw } from './html.ts';

/** A text that may be longer than this is written in a box of several lines; code points. */
const LONGEST_LINE = 2_048;

/**
 * The form that calls an operation over HTTP POST, one control a parameter, in order. As in ASP.NET there is none where a
 * parameter is base64Binary (contract 1), or where HTTP POST cannot call it: then the parameters are listed.
 */
export function testSection(place: ServiceAddress, operation: Operation, isForm: boolean): Markup {
  const hasFile = operation.parameters.some(({ type }) => type === 'base64Binary');
  return html`<section aria-labelledby="test">
<h2 id="test">Test</h2>
${hasFile || !isForm ? list(operation, isForm) : form(place, operation)}
</section>`;
}

function list({ parameters, help }: Operation, isForm: boolean): Markup {
  return html`<p class="notice">The test form is only available for methods with primitive types as parameters.
${isForm && raw('This one takes a file; <a href="#curl">curl</a> sends it as <code>multipart/form-data</code>.')}</p>
${parameters.map((parameter) => described(parameter, html`<code>${parameter.name}</code>`, help?.required.includes(parameter.name) ?? false))}`;
}

function form(place: ServiceAddress, { name, parameters, help }: Operation): Markup {
  // Relative, so that it is right whatever host or path a proxy puts in front.
  const action = `./${relativeEndpoint({ ...place, query: undefined })}/${name}`;
  const refusals =
    help?.refusals !== undefined && html` data-refusals="${JSON.stringify(help.refusals)}"`;
  return html`<p>To test the operation using the HTTP POST protocol, click the 'Invoke' button.</p>
<form id="call" method="post" action="${action}" target="_blank"${refusals}>
${parameters.map((parameter) => field(parameter, help?.required.includes(parameter.name) ?? false))}
<div class="actions">
<button type="submit" class="primary">Invoke</button>
<button type="button" id="fill" hidden>Fill in sample values</button>
<button type="reset">Clear</button>
</div>
</form>
<p id="state" role="status"></p>
<div id="answer" hidden>
<figure class="code">
<figcaption>Answer ${copyButton('answer-body', 'answer')}</figcaption>
<pre id="answer-body"></pre>
</figure>
<figure class="code" id="answer-json" hidden>
<figcaption>Result, as JSON ${copyButton('answer-json-text', 'result')}</figcaption>
<pre id="answer-json-text"></pre>
</figure>
<details>
<summary>Response headers</summary>
<pre id="answer-headers"></pre>
</details>
</div>`;
}

function field(parameter: Parameter, isRequired: boolean): Markup {
  const label = html`<label for="p-${parameter.name}">${parameter.name}</label>`;
  return described(parameter, label, isRequired, control(parameter, isRequired));
}

function described(
  parameter: Parameter,
  label: Markup,
  isRequired: boolean,
  content?: Markup,
): Markup {
  return html`<div class="field">
<div class="label">${label} ${typeTag(parameter)}${isRequired && raw(' <span class="tag required">required</span>')}</div>
${content}
<p class="hint" id="d-${parameter.name}">${parameter.documentation}${limit(parameter)}</p>
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

function typeTag({ type, secret, credential }: Parameter): Markup {
  const said = credential ? 'credential' : secret && 'secret';
  return html`<span class="tag">${typeName(type)}</span>${said && html` <span class="tag secret">${said}</span>`}`;
}

function limit({ maxLength }: Parameter): string {
  return maxLength === undefined ? '' : ` At most ${maxLength.toLocaleString('en')} characters.`;
}
