import assert from 'node:assert/strict';

/** What a browser would send of the first form of a page with a field of this name. */
export function formOf(page: string, name: string): Record<string, string> {
  const form = [...page.matchAll(/<form[^>]*>.*?<\/form>/gs)]
    .map(([text]) => text)
    .find((text) => text.includes(`name="${name}"`));
  assert.ok(form !== undefined, `no form with ${name}: ${page}`);
  const inputs = [
    ...form.matchAll(/<input(?![^>]*checkbox)[^>]*name="([^"]+)"[^>]*?value="([^"]*)"/g),
  ];
  const selects = [...form.matchAll(/<select[^>]*name="([^"]+)".*?<\/select>/gs)].map(
    ([text, field]) => [
      field!,
      /<option value="([^"]*)" selected/.exec(text)?.[1] ??
        /<option value="([^"]*)"/.exec(text)![1]!,
    ],
  );
  return Object.fromEntries([...inputs.map(([, field, value]) => [field!, value!]), ...selects]);
}
