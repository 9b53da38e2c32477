/** The decisions of the desk, in the order in which they stand there, each with its key. */
export const HOTKEYS: Readonly<Record<string, string>> = {
  publish: 'p',
  release: 'l',
  dismiss: 'd',
  reject: 'r',
  remove: 't',
  hold: 'h',
};
