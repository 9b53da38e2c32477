import { join } from 'node:path';

/**
 * The names of stored files: letters and digits of ASCII, and behind the first of them dots,
 * hyphens and underscores. No slash, no dot at the beginning: such a name is in the folder that it
 * is joined to, wherever it comes from.
 */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;

/** How much of a name that is refused an error shows; characters. */
const SHOWN = 100;

/** Whether a file may be stored by this name. */
export function isFileName(name: string): boolean {
  return FILE_NAME.test(name);
}

/**
 * Returns the name. Call it wherever a name becomes a part of a path or of a key, even if the name
 * was checked before: databases come from backups, and backups from anywhere.
 * @throws {Error} when it is none.
 */
export function checkedName(name: string): string {
  if (isFileName(name)) return name;
  throw new Error(
    `${JSON.stringify(name.slice(0, SHOWN))} is not the name of a file of this service`,
  );
}

/**
 * Returns the path of a stored file: in a subfolder named by its first two characters.
 * @throws {Error} as {@link checkedName}
 */
export function placeIn(folder: string, name: string): string {
  const checked = checkedName(name);
  return join(folder, checked.slice(0, 2), checked);
}

/**
 * Whether a text is the key of an object that others have named: no part of it is empty, `.` or
 * `..`, none has controls.
 */
export function isObjectKey(key: string): boolean {
  if (Buffer.byteLength(key) > 1024) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  return !/[\u0000-\u001f\u007f]|(?:^|\/)\.{0,2}(?:\/|$)/.test(key);
}
