// Which locale dates and numbers are written in. Runs before the others: uPlot asks for the browser's as it loads.

// Whether Intl knows it: there are browsers whose language is `en-US@posix`, at which Intl throws.
function isLocale(name) {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}

const { lang } = document.documentElement;

// The visitor's own variety of the page's language: 22 Nov 2026, 19:02 or Nov 22, 2026, 7:02 PM.
const locale =
  navigator.languages.find((one) => one.startsWith(lang.slice(0, 2)) && isLocale(one)) ?? lang;

if (!isLocale(navigator.language)) Object.defineProperty(navigator, 'language', { value: locale });
