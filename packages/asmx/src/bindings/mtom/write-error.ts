/** Faults for messages with attachments are those of plain SOAP. */
export { writeError } from '../soap/write-error.ts';
