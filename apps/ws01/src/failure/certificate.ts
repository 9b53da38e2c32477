/** What TLS says of a certificate that it does not accept, and what that means. */
const PROBLEMS: readonly (readonly [form: RegExp, meaning: string])[] = [
  [/altnames/, 'is of another host; write the host as the certificate has it'],
  [/certificate has expired/, 'has expired'],
  [/certificate is not yet valid/, 'is not valid yet; check the clock of this machine'],
  [
    /self-signed certificate|unable to (?:get|verify)/,
    'is signed by nobody that this machine trusts; if it is right, name the file of who signed it in NODE_EXTRA_CA_CERTS',
  ],
];

const SUBJECT = 'the certificate of the server';

/**
 * Why the certificate of a server is not accepted, in words for operators; `undefined` for an error
 * of another kind.
 */
export function certificateProblem(error: unknown): string | undefined {
  const { message } = error as Error;
  const problem = PROBLEMS.find(([form]) => form.test(message));
  return problem && `${SUBJECT} ${problem[1]}`;
}

/** Whether a reason is one of {@link certificateProblem}. */
export const isCertificateProblem = (reason: string): boolean => reason.startsWith(SUBJECT);
