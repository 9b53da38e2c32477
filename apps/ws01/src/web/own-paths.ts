/** Paths that pages link to: this file stands alone, so that they load nothing else for it. */

/** The documents of the HTTP API. */
export const API_DOCS_PATH = '/api/docs';

export const CONSOLE_PATH = '/console';
