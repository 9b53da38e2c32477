/** Why messages are not served. One sentence. */
interface Refused {
  readonly status: 400 | 413;
  readonly reason: string;
  readonly code: number;
}

/** How many messages a batch may have: each is a call, or a list of all tools. */
const BATCH_MESSAGES = 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Reads the messages in a body. What is checked of each member takes many times longer than reading
 * it: so their number is limited before.
 * @param items how many members and items they may have.
 */
export function readMessages(
  body: string,
  items: number,
): { readonly messages: unknown } | Refused {
  if (countItems(body, items) > items) {
    return { status: 413, reason: `A message may have ${items} members and items.`, code: -32_600 };
  }
  let messages: unknown;
  try {
    messages = JSON.parse(body);
  } catch {
    return { status: 400, reason: 'The body is no JSON.', code: -32_700 };
  }
  if (!Array.isArray(messages)) return { messages };
  if (messages.length > BATCH_MESSAGES)
    return { status: 400, reason: `A batch may have ${BATCH_MESSAGES} messages.`, code: -32_600 };
  // Without sessions, notifications mean nothing: but a call that one cancels would never be
  // answered, and neither would the others of its batch.
  const requests = messages.filter(
    (message) => typeof message !== 'object' || message === null || idOf(message) !== undefined,
  );
  const ids = requests.map((message) => JSON.stringify(idOf(message as object)));
  if (new Set(ids).size < ids.length)
    return { status: 400, reason: 'Two messages have one id.', code: -32_600 };
  return { messages: requests.length === 0 ? messages : requests };
}

function idOf(message: object | null): unknown {
  return (message as { readonly id?: unknown } | null)?.id;
}

/**
 * How many members and items a text of JSON has at most: separators and openings outside of
 * strings. Ends beyond `most`.
 */
function countItems(text: string, most: number): number {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at++) {
    const unit = text.charCodeAt(at);
    if (unit === COMMA || unit === OPEN_LIST || unit === OPEN_OBJECT) count++;
    else if (unit === QUOTE) at = endOfString(text, at);
  }
  return count;
}

/** The index of the quote that ends a string; that of the end of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
