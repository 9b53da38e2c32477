/** The fault to a message with attachments is SOAP without any. */
export { writeError } from '../soap/write-error.ts';
