/** The credential every test service knows: a service token with all scopes. */
export const TOKEN = 'test-bootstrap-token-0123456789';

export const NAMESPACE = 'urn:ws01';
