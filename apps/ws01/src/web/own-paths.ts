/** Where the documents of the HTTP API are. It stands alone: pages that link there need no more of them. */
export const API_DOCS_PATH = '/api/docs';
