/** Faults for messages with attachments are plain SOAP. */
export { writeError } from '../soap/write-error.ts';
