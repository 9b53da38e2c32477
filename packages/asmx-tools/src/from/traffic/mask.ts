/** What is another one at each call, and is not compared: keys, times. */
const DYNAMIC: readonly (readonly [form: RegExp, mask: string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '{guid}'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/g, '{dateTime}'],
  [/\/Date\(-?\d+(?:[+-]\d{4})?\)\//g, '{dateTime}'],
  [/\b\d{4}[-/]\d{1,2}[-/]\d{1,2} (?:\S{1,2} )?\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?/g, '{dateTime}'],
];

/** Makes texts alike in what is known to be another one each time. @param more further patterns. */
export function masker(more: readonly RegExp[]): (text: string) => string {
  const masks = [
    ...DYNAMIC,
    ...more.map(
      (form) => [new RegExp(form.source, `${form.flags.replace('g', '')}g`), '{masked}'] as const,
    ),
  ];
  return (text) => masks.reduce((masked, [form, mask]) => masked.replace(form, mask), text);
}
