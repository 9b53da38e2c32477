// What the pages do where scripts run; without them forms post, links lead and samples show placeholders.
(() => {
  const byId = (id) => document.getElementById(id);
  let latestCall = 0;

  /** A text in the language of the page; `{name}` is a place for a value. */
  const WORDS = JSON.parse(document.body.dataset.words ?? '{}');
  const say = (word, values = {}) => (WORDS[word] ?? word).replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);

  /** How a value stands in the source of a program, as `escaped` on the server has it. */
  const ESCAPES = {
    shell: (text) => text.replaceAll("'", "'\\''"),
    double: (text) => JSON.stringify(text).slice(1, -1),
    php: (text) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
    delphi: (text) => text.replaceAll("'", "''").replaceAll(/\r?\n/g, "'#13#10'"),
  };

  for (const button of document.querySelectorAll('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
  const filled = byId('filled');
  if (filled) {
    filled.closest('.switch').hidden = false;
    filled.addEventListener('change', showSamples);
  }
  const form = byId('call');
  if (form) {
    for (const control of form.querySelectorAll('[data-credential]')) rememberOnce(control);
    form.addEventListener('input', showSamples);
    byId('fill').hidden = false;
    byId('fill').addEventListener('click', fillForm);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      invoke();
    });
    form.addEventListener('reset', () => {
      showState('', '');
      // The controls are empty after this.
      setTimeout(showSamples);
    });
  }
  const programs = document.querySelectorAll('input[name=program]');
  for (const program of programs) {
    program.closest('.tabs').dataset.live = '';
    program.addEventListener('change', rememberProgram);
  }
  openProgram();
  addEventListener('hashchange', openProgram);
  // On a narrow screen parts are folded, but for the one that the address names.
  if (matchMedia('(max-width: 40rem)').matches) {
    const named = byId(decodeURIComponent(location.hash.slice(1)));
    for (const part of document.querySelectorAll('details.fold')) part.open = part.contains(named);
  }
  // Browsers restore a box and a form as they were before a reload.
  showSamples();

  /** A credential is typed once, and then stands in every form of this tab, until the tab is closed. */
  function rememberOnce(control) {
    const NAME = 'asmx-credential';
    try {
      if (control.value === '') control.value = sessionStorage.getItem(NAME) ?? '';
      control.addEventListener('change', () => sessionStorage.setItem(NAME, control.value));
    } catch {
      // A browser may keep nothing: then it is typed each time.
    }
  }

  /** Opens the tab that the address names, else the one that was chosen last. */
  function openProgram() {
    const chosen = document.cookie.match(/(?:^|; )asmx-program=([\w-]+)/)?.[1];
    const known = (id) => [...programs].find(({ value }) => value === id);
    const program = known(location.hash.slice(1)) ?? known(chosen);
    if (program) program.checked = true;
  }

  function rememberProgram({ target }) {
    // An address that names another tab would open that one, too.
    if (location.hash !== '') history.replaceState(null, '', `#${target.value}`);
    // biome-ignore lint/suspicious/noDocumentCookie: one plain value
    document.cookie = `asmx-program=${target.value}; Max-Age=31536000; SameSite=Strict`;
  }

  /** Copies what a block shows, and says so on its button for a moment. */
  async function copy(button) {
    const source = byId(button.dataset.copy);
    let said = say('Copied');
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Without a secure context there is no clipboard: select the text for the reader's own key.
      getSelection().selectAllChildren(source);
      said = say('Selected');
    }
    button.textContent = said;
    setTimeout(() => {
      button.textContent = say('Copy');
    }, 1500);
  }

  /** Samples show placeholders, or sample values; in programs what the caller has typed comes first. */
  function showSamples() {
    for (const value of document.querySelectorAll('var[data-sample]')) {
      const { sample, parameter, writing } = value.dataset;
      value.dataset.placeholder ??= value.textContent;
      const typed = parameter === undefined ? '' : (byId(`p-${parameter}`)?.value ?? '');
      if (typed === '') value.textContent = filled?.checked ? sample : value.dataset.placeholder;
      else value.textContent = ESCAPES[writing](typed);
    }
  }

  function fillForm() {
    for (const control of form.querySelectorAll('[data-sample]')) {
      if (control.value === '' && control.dataset.credential === undefined) control.value = control.dataset.sample;
    }
    showSamples();
  }

  /** Calls the operation as the form would, and shows the answer in place, unless a later call has been made. */
  async function invoke() {
    showState('', say('Calling…'));
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
      const said = say('{status} in {ms} ms', { status: `${response.status} ${response.statusText}`, ms: duration });
      showState(response.ok ? 'good' : 'bad', said);
      const refusal = response.ok && refusalIn(showAnswer(response, text));
      if (!response.ok) showAnswer(response, text);
      if (refusal) {
        byId('state').className = 'refused';
        byId('state').textContent = say('{said}, but the answer is no: {reason}', { said, reason: refusal });
      }
    } catch (error) {
      if (call === latestCall) showState('bad', say('No answer: {reason}', { reason: error.message }));
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
    byId('answer').scrollIntoView({ block: 'nearest' });
    byId('state').scrollIntoView({ block: 'nearest' });
    return isXml ? xml.documentElement.textContent : text;
  }

  /** How a result begins that says no, although the call went well; undefined for one that does not. */
  function refusalIn(result) {
    return JSON.parse(form.dataset.refusals ?? '[]').find((refusal) => result.startsWith(refusal));
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
