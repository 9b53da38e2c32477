/** One member of each, in order. */
export const pluck = <Each extends object, Name extends keyof Each>(
  list: Iterable<Each>,
  name: Name,
): Each[Name][] => Array.from(list, (each) => each[name]);
