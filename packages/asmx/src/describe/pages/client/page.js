// What the pages do where scripts run; without them forms post, links lead and samples show placeholders.
(() => {
  const byId = (id) => document.getElementById(id);
  let latestCall = 0;

  for (const button of document.querySelectorAll('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
  const filled = byId('filled');
  if (filled) {
    filled.closest('.switch').hidden = false;
    filled.addEventListener('change', () => showSamples(filled.checked));
    // Browsers restore a box as it was before a reload.
    showSamples(filled.checked);
  }
  const form = byId('call');
  if (form) {
    byId('fill').hidden = false;
    byId('fill').addEventListener('click', fillForm);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      invoke();
    });
    form.addEventListener('reset', () => showState('', ''));
  }

  /** Copies what a block shows, and says so on its button for a moment. */
  async function copy(button) {
    const source = byId(button.dataset.copy);
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Without a secure context there is no clipboard: select the text for the reader's own key.
      getSelection().selectAllChildren(source);
      said = 'Selected';
    }
    button.textContent = said;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  }

  function showSamples(areFilled) {
    for (const value of document.querySelectorAll('var[data-sample]')) {
      value.dataset.placeholder ??= value.textContent;
      value.textContent = areFilled ? value.dataset.sample : value.dataset.placeholder;
    }
  }

  function fillForm() {
    for (const control of form.querySelectorAll('[data-sample]')) {
      if (control.value === '') control.value = control.dataset.sample;
    }
  }

  /** Calls the operation as the form would, and shows the answer in place, unless a later call has been made. */
  async function invoke() {
    showState('', 'Calling…');
    latestCall++;
    const call = latestCall;
    const started = performance.now();
    try {
      // Attributes are read by name, because a parameter called "action" or "method" hides the form's property.
      const response = await fetch(form.getAttribute('action'), {
        method: 'POST',
        body: new URLSearchParams(new FormData(form)),
      });
      const text = await response.text();
      if (call !== latestCall) return;
      const duration = Math.round(performance.now() - started);
      showState(response.ok ? 'good' : 'bad', `${response.status} ${response.statusText} in ${duration} ms`);
      showAnswer(response, text);
    } catch (error) {
      if (call === latestCall) showState('bad', `No answer: ${error.message}`);
    }
  }

  /** Says how the call stands; its answer, if any, is shown after that. */
  function showState(kind, text) {
    const state = byId('state');
    state.className = kind;
    state.textContent = text;
    byId('answer').hidden = true;
  }

  function showAnswer(response, text) {
    const xml = new DOMParser().parseFromString(text, 'text/xml');
    const isXml = xml.getElementsByTagName('parsererror').length === 0;
    byId('answer-body').textContent = isXml ? prettyXml(xml.documentElement, '') : text;
    byId('answer-headers').textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const json = isXml && prettyJson(xml.documentElement.textContent);
    byId('answer-json').hidden = !json;
    byId('answer-json-text').textContent = json || '';
    byId('answer').hidden = false;
    byId('state').scrollIntoView({ block: 'nearest' });
  }

  /** An element as indented source; elements that hold text stay on their line. */
  function prettyXml(element, indent) {
    const attributes = [...element.attributes]
      .map(({ name, value }) => ` ${name}="${escapeXml(value).replaceAll('"', '&quot;')}"`)
      .join('');
    const open = `${indent}<${element.nodeName}${attributes}`;
    const children = [...element.children];
    if (children.length > 0) {
      const lines = children.map((child) => prettyXml(child, `${indent}  `));
      return [`${open}>`, ...lines, `${indent}</${element.nodeName}>`].join('\n');
    }
    return element.textContent === ''
      ? `${open} />`
      : `${open}>${escapeXml(element.textContent)}</${element.nodeName}>`;
  }

  function escapeXml(text) {
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  }

  /** The text of a JSON object or array, indented; undefined for everything else. */
  function prettyJson(text) {
    if (!/^\s*[[{]/.test(text)) return undefined;
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return undefined;
    }
  }
})();
