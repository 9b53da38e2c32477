import type { Service } from '../../contract/service.ts';
import { homeLink, opLink, type ServiceAddress } from '../service-address.ts';
import { html } from './html.ts';
import { layout, sortedNames } from './layout.ts';
import { inEnglish, sayMarkup } from './reader.ts';

/** Longer names are cut: nobody's operation, and the page stays a page. Code points. */
const SHOWN_NAME = 100;

/**
 * The page for an operation the service does not have; a name that differs only in letter case is
 * offered.
 */
export function unknownOperationPage(
  service: Service,
  place: ServiceAddress,
  name: string,
): string {
  const home = homeLink(place);
  const suggestion = (known: string) =>
    html`<p>${sayMarkup(place, 'Names are case-sensitive. Did you mean {name}?', { name: html`<a href="${opLink(home, known)}">${known}</a>` })}</p>`;
  const points = [...name];
  const shown = points.length > SHOWN_NAME ? `${points.slice(0, SHOWN_NAME).join('')}…` : name;
  const similar = sortedNames(service).filter(
    (known) => known.toLowerCase() === name.toLowerCase(),
  );
  return layout(service, place, {
    title: 'Method Not Found',
    hasOperations: true,
    content: html`<p${inEnglish(place)}>Click <a href="${home}">here</a> for a complete list of operations.</p>
<h1${inEnglish(place)}>Method Not Found</h1>
<p class="notice"${inEnglish(place)}>Method '${shown}' was not found in service ${service.name}.</p>
${similar.map(suggestion)}`,
  });
}
