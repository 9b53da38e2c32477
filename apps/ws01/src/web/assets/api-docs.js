// Shows the document that the page names. Nothing is sent to anybody else, and no token is kept.
const place = document.getElementById('document');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/**
 * Swagger UI for keyboards and screen readers. Its own layout has a second `<main>`, leaves what is before it outside
 * of any landmark and skips a level of headings; its selects have no name; and its code scrolls by the mouse alone.
 */
function accessible({ React }) {
  const h = React.createElement;

  function AccessibleLayout({ getComponent, specSelectors }) {
    const component = (name) => h(getComponent(name, true));
    const status = specSelectors.loadingStatus();
    if (status === 'failed')
      return h('div', { className: 'swagger-ui wrapper' }, component('errors'));
    if (status === 'loading' || !specSelectors.specStr())
      return h('p', { className: 'wrapper' }, place.dataset.loading);
    return h(
      'div',
      { className: 'swagger-ui' },
      component('SvgAssets'),
      component('errors'),
      h('div', { className: 'wrapper' }, component('InfoContainer')),
      specSelectors.securityDefinitions() &&
        h('div', { className: 'wrapper' }, component('AuthorizeBtnContainer')),
      h(
        'div',
        { className: 'wrapper' },
        h('h2', null, place.dataset.operations),
        component('operations'),
        component('Models'),
      ),
    );
  }

  const SyntaxHighlighter = ({ className, children }) =>
    h('pre', { className, tabIndex: 0 }, h('code', null, children));

  const labelled = (Input) => (props) =>
    h('label', null, h('span', { className: 'label' }, props.description), h(Input, props));

  return {
    components: { AccessibleLayout, SyntaxHighlighter },
    wrapComponents: { JsonSchema_string: labelled, JsonSchema_boolean: labelled },
  };
}

const json = async (url) => (await fetch(url)).json();

/** Texts of a document that people read; all others are names of programs, as the names of parameters are. */
const TEXTS = new Set(['summary', 'description', 'title', 'name', 'tags']);
const EXAMPLES = new Set(['example', 'examples']);

/** A document whose texts are those of another language, as far as there are any. */
function translated(part, words, member) {
  if (typeof part === 'string') return TEXTS.has(member) ? (words[part] ?? part) : part;
  if (Array.isArray(part)) return part.map((one) => translated(one, words, member));
  if (part === null || typeof part !== 'object' || EXAMPLES.has(member)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      const isText = name !== 'name' || member === 'tags';
      return [name, isText ? translated(value, words, name) : value];
    }),
  );
}

async function show() {
  const { url, words } = place.dataset;
  const spec =
    words === undefined ? undefined : translated(...(await Promise.all([json(url), json(words)])));
  window.SwaggerUIBundle({ ...OPTIONS, ...(spec === undefined ? { url } : { spec }) });
}

const OPTIONS = {
  domNode: place,
  plugins: [accessible],
  layout: 'AccessibleLayout',
  // The links it makes are within buttons and headings that are pressed.
  deepLinking: false,
  docExpansion: place.dataset.expansion,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
};

show();
