/** The types of calls, of those that a contract has of its operations. */

/** What an operation takes. */
export type CallInput<T> = T extends { readonly input: infer I } ? I : object;
/** What it returns. A boolean operation's "no" with a reason is `false` here. */
export type CallResult<T> = T extends { readonly result: infer R }
  ? Exclude<R, { readonly result: false; readonly code: string }>
  : unknown;
/** The SOAP headers that it takes. */
export type CallHeaders<T> = T extends { readonly headersIn: infer H } ? H : object;
/** All that a caller may leave out is left out. */
export type CallGiven<I> = {
  readonly [K in keyof I as undefined extends I[K] ? never : K]: I[K];
} & {
  readonly [K in keyof I]?: I[K];
};
