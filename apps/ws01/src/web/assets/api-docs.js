// Shows the document that the page names. Nothing is sent to anybody else, and no token is kept.
const place = document.getElementById('document');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
window.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.url,
  deepLinking: true,
  docExpansion: 'list',
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
