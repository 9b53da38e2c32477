import { typeName } from '../../contract/scalar-facts.ts';
import type { Operation, Parameter } from '../../contract/service.ts';
import { relativeEndpoint, type ServiceAddress } from '../service-address.ts';
import { copyButton } from './blocks.ts';
import { html, type Markup, raw } from './html.ts';

/** A text that may be longer than this is written in a box of several lines; code points. */
const LONGEST_LINE = 2_048;

/**
 * The form that calls an operation over HTTP POST, one control a parameter, in order. As in ASP.NET it is not offered
 * when a parameter is base64Binary, which that binding takes as an array; the parameters are explained all the same.
 */
export function testSection(place: ServiceAddress, operation: Operation): Markup {
  const isPrimitive = operation.parameters.every((parameter) => parameter.type !== 'base64Binary');
  return html`<section aria-labelledby="test">
<h2 id="test">Test</h2>
${isPrimitive ? form(place, operation) : explanation(operation)}
</section>`;
}

function form(place: ServiceAddress, { name, parameters }: Operation): Markup {
  // Relative, so that it is right whatever host or path a proxy puts in front.
  const action = `./${relativeEndpoint(place)}/${name}`;
  return html`<p>To test the operation using the HTTP POST protocol, click the 'Invoke' button.</p>
<form id="call" method="post" action="${action}" target="_blank">
${parameters.map(field)}
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

function field(parameter: Parameter): Markup {
  const { name, documentation } = parameter;
  return html`<div class="field">
<div class="label"><label for="p-${name}">${name}</label> ${typeTag(parameter)}</div>
${control(parameter)}
<p class="hint" id="d-${name}">${documentation}${limit(parameter)}</p>
</div>
`;
}

function control({ name, type, sample, maxLength, singleLine, secret }: Parameter): Markup {
  const common = html`id="p-${name}" name="${name}" aria-describedby="d-${name}" data-sample="${sample}" spellcheck="false"`;
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

function explanation({ parameters }: Operation): Markup {
  return html`<p class="notice">The test form is only available for methods with primitive types as parameters.
A file is easily sent with <a href="#curl">curl</a>.</p>
<dl class="parameters">${parameters.map(
    (parameter) => html`
<div><dt>${parameter.name} ${typeTag(parameter)}</dt><dd>${parameter.documentation}${limit(parameter)}</dd></div>`,
  )}
</dl>`;
}

function typeTag({ type, secret }: Parameter): Markup {
  return html`<span class="tag">${typeName(type)}</span>${secret && raw(' <span class="tag secret">credential</span>')}`;
}

function limit({ maxLength }: Parameter): string {
  return maxLength === undefined ? '' : ` At most ${maxLength.toLocaleString('en')} characters.`;
}
