import type { Operation } from './service.ts';

/**
 * What an operation does for its caller. Its documentation, which the WSDL has, may be in the words
 * of an old server.
 */
export function purposeOf({ help, documentation }: Operation): string {
  return help?.purpose ?? documentation;
}

/** The documentation of an operation, where {@link purposeOf} gives other words. */
export function wordingInWsdl({ help, documentation }: Operation): string | undefined {
  return help === undefined || documentation === ''
    ? undefined
    : `In the WSDL: ${documentation.replace(/\.$/, '')}.`;
}
