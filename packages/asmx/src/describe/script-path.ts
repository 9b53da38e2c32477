/** The two forms of the proxy script: as short as it can be, and for people. */
export type ScriptKind = 'js' | 'jsdebug';

/** Which script a path below the service's asks for; letter case does not matter, as in ASP.NET. */
export function scriptKind(pathInfo: string): ScriptKind | undefined {
  const name = pathInfo.slice(1).toLowerCase();
  return name === 'js' || name === 'jsdebug' ? name : undefined;
}
