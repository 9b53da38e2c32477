import {
  array,
  boolean,
  dateTime,
  decimal,
  int,
  object,
  operation,
  service,
  string,
} from '../../../packages/asmx/src/index.ts';

/** A list of objects in, the same out. */
const Item = object('Item', { id: int, name: string, price: decimal, at: dateTime, open: boolean });
export const Objects = service('Objects', {
  namespace: 'urn:objects',
  bindings: ['soap11'],
  operations: { Echo: operation({ input: { items: array(Item) }, result: array(Item) }) },
});
export const PATH = '/Objects.asmx';

const item = (at: number) =>
  `<Item><id>${at}</id><name>Item &amp; number ${at}</name><price>${at}.25</price><at>2024-02-29T12:00:00Z</at><open>true</open></Item>`;

/** A request with so many objects. */
export function envelope(objects: number): string {
  const items = Array.from({ length: objects }, (_, at) => item(at)).join('');
  return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><Echo xmlns="urn:objects"><items>${items}</items></Echo></soap:Body></soap:Envelope>`;
}
