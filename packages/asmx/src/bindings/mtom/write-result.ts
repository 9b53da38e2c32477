/** The answer to a message with attachments is SOAP without any. */
export { writeResult } from '../soap/write-result.ts';
