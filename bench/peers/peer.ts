import type { Side } from '../kit/sides/side.ts';

/** What is measured beside this service. */
export interface Peer {
  readonly name: string;
  /** @returns `undefined` where it is not installed. */
  start(): Promise<Side | undefined>;
}

/** The service description that peers are given: countUserPosted and nothing else. */
export const WSDL = `${import.meta.dirname}/count-user-posted.wsdl`;

/** The path that peers listen at; the one in the request. */
export const PATH = '/WS01.asmx';
