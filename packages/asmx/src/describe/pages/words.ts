/** The texts of the pages that ASP.NET's have not, in English; `{name}` is a place for a value. */
export const PAGE_WORDS = [
  'Skip to content',
  'Documents',
  'Discovery',
  'Operations',
  'Address',
  'Namespace',
  'Bindings',
  'address',
  'namespace',
  'Samples',
  'Show sample values instead of placeholders',
  'From a program',
  'The call over {binding} from a command line.',
  'Command',
  'Code',
  'Request',
  'Response',
  'Result',
  'Example',
  'Errors',
  'required',
  'secret',
  'credential',
  'At most {count} characters.',
  'This one takes a file; {curl} sends it as {type}.',
  'Fill in sample values',
  'Clear',
  'Answer',
  'Result, as JSON',
  'Response headers',
  'Names are case-sensitive. Did you mean {name}?',
  'Copy',
  'Copied',
  'Selected',
  'Calling…',
  '{status} in {ms} ms',
  '{said}, but the answer is no: {reason}',
  'No answer: {reason}',
] as const;

/** A text of the pages, as the texts of a `PageLanguage` name it. */
export type PageWord = (typeof PAGE_WORDS)[number];

/** Those of the script. */
export const SCRIPT_WORDS: readonly PageWord[] = PAGE_WORDS.slice(PAGE_WORDS.indexOf('Copy'));
