/**
 * Characters that ASP.NET's JavaScriptSerializer also escapes, so that the text is safe in a script
 * or an attribute.
 */
const ESCAPED = /[<>&'\u0085\u2028\u2029]/g;

/** Writes a value as ASP.NET's script services do (wire 14). */
export function scriptJson(value: unknown): string {
  return escapeForScript(JSON.stringify(value));
}

/** Escapes in a JSON text what JSON does not. */
export function escapeForScript(json: string): string {
  return json.replace(ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
