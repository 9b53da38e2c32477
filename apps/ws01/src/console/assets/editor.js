// Editors: what is typed is kept in this tab until it is stored, and is shown as visitors will see it.

const form = document.querySelector('form[data-kept]');
// A form that comes back from elsewhere is still that of its record.
const key = `draft ${form?.dataset.draft ?? location.pathname}`;
const fields = () =>
  [...form.elements].filter(({ name, type }) => name !== '' && !/^(?:hidden|submit)$/.test(type));
const isBox = ({ type }) => type === 'checkbox' || type === 'radio';
/** Boxes share their name; each has a state of its own. */
const nameOf = (field) => (isBox(field) ? `${field.name}=${field.value}` : field.name);
const stateOf = (field) => (isBox(field) ? field.checked : field.value);
const restore = (field, state) => {
  if (isBox(field)) field.checked = state;
  else field.value = state;
};

/** So long a person types before the preview follows; ms. */
const PAUSE_MS = 600;
let pause;

function preview() {
  const button = form.querySelector('[data-preview]');
  if (button === null) return;
  // A frame of its own for each: the way back does not lead through them.
  const frame = document.querySelector('iframe[name=seen]');
  const fresh = frame.cloneNode();
  fresh.removeAttribute('src');
  frame.replaceWith(fresh);
  form.requestSubmit(button);
}

if (form !== null) {
  const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null');
  const keptOf = (field) => kept?.[nameOf(field)];
  const changed = fields().filter((field) => (keptOf(field) ?? stateOf(field)) !== stateOf(field));
  for (const field of changed) restore(field, keptOf(field));
  if (changed.length > 0) {
    document.getElementById('toast').textContent = form.dataset.kept;
    preview();
  }
  // What a form shows that comes back is not what is stored.
  else if (![undefined, location.pathname].includes(form.dataset.draft)) preview();
  form.addEventListener('input', () => {
    sessionStorage.setItem(
      key,
      JSON.stringify(Object.fromEntries(fields().map((field) => [nameOf(field), stateOf(field)]))),
    );
    clearTimeout(pause);
    pause = setTimeout(preview, PAUSE_MS);
  });
}
