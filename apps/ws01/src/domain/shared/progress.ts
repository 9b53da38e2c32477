/**
 * Reports the progress of long work for a person.
 * @param done units that are done.
 * @param all all units; 0 for a step of unknown length.
 * @param what the units, in the plural; or what the step does.
 */
export type OnProgress = (done: number, all: number, what: string) => void;
