import { parseRates, type Rate } from '../domain/values/rate.ts';
import type { Environment } from './environment.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const rates = (text: string): readonly Rate[] => parseRates(text)!;

/**
 * What was a setting until 0.2.0, and whose value nobody could choose without reading the code
 * (docs/decisions/settings.md), and what is like it. The name of a former setting is that of its
 * property: `apiReadMs`, `API_READ_MS`.
 */
export const FIXED = {
  /**
   * Memory of all requests before their credentials are checked; it follows from
   * `MAX_REQUEST_BYTES`.
   */
  maxUnauthenticatedBytes: undefined as number | undefined,
  /** Mode of the file of `SOCKET_PATH`; it has the group of the service. */
  socketMode: 0o660,
  /** A disk with less free space than both warns. */
  diskWarnBelow: { percent: 10, bytes: 10 * GIB },
  /**
   * Largest rate of log lines of answered calls; when absent, what journald takes if the log goes
   * there, else any.
   */
  logCalls: undefined as Rate | undefined,
  /** Concurrent calls of a process, waiting ones included; one address has half of them at most. */
  maxCalls: 2_000,
  /** Answers that clients have not read yet; beyond it the slowest client is disconnected. */
  maxUnreadBytes: 16 * MIB,
  /** The body of a request to the HTTP API. */
  apiBodyBytes: 65_536,
  /** Items on a page of a list of the HTTP API, and keys in a request for ratings. */
  apiPageItems: 100,
  /** The search text of a list; code points. */
  apiSearchChars: 200,
  /**
   * Rows that a page reads where there is no index, in steps of 1,000, and how long it looks for
   * those that it shows; ms. What is left to look through is the next page's.
   */
  apiRowsRead: 100_000,
  apiReadMs: 50,
  /** Live streams of a process, and of one person or token. */
  apiStreams: 100,
  apiStreamsPerPerson: 10,
  /** Rows of a CSV export of the console. */
  consoleExportRows: 100_000,
  /** Images decoded at once, each in a process of its own, by each worker. */
  imageDecoders: 2,
  /** Memory and CPU time for decoding an image. */
  imageMemoryBytes: 256 * MIB,
  imageCpuMs: 10_000,
  /** Images that wait to be decoded. */
  imageQueue: 200,
  /**
   * Memory for image files that were shown lately, of each worker; one file has an eighth of it at
   * most.
   */
  imageCacheBytes: 32 * MIB,
  /** A worker that hangs for this long is killed and replaced. */
  workerTimeoutSeconds: 30,
  /**
   * A call that takes longer, without the arrival of its request, is logged with where the time
   * went.
   */
  slowCallMs: 2_000,
  /** Calls that wait for a connection to PostgreSQL; one address has half of them at most. */
  databaseQueue: 200,
  /** Timeouts of a statement, of one that waits for a lock, and of a transaction that is idle. */
  databaseStatementSeconds: 10,
  databaseLockSeconds: 5,
  databaseIdleSeconds: 10,
  /** Timeout of a request to S3, which is repeated once. */
  filesTimeoutSeconds: 10,
  /** Sources of the visits of a link by kind and day; further ones are counted together. */
  visitSourcesPerDay: 50,
  /**
   * What the old revisions of an article, and of all articles of a user, take; beyond it the oldest
   * go.
   */
  revisionsKeptBytes: 64 * MIB,
  revisionsKeptBytesPerUser: 1_024 * MIB,
  /** How long rows are kept. */
  removedImagesKeptDays: 365,
  postingsKeptDays: 3_660,
  visitsKeptDays: 400,
  verificationsKeptDays: 30,
  unsentMailsKeptDays: 365,
  reportsKeptDays: 365,
  eventsKeptDays: 30,
  callCountsKeptDays: 90,
  failedCallsKeptDays: 30,
  /** How long a delivery to a webhook is repeated: no longer than events are kept. */
  webhookRetryDays: 7,
  /** How often the mailbox of `MAIL_BOUNCES` is looked at. */
  mailLookMs: 60_000,
  /** Budgets, as docs/budgets.md describes them. */
  linksPerAddress: rates('600/min'),
  reviewsPerAddress: rates('600/min'),
  reportsPerAddress: rates('60/h'),
  queriesPerAddress: rates('6000/min'),
  picturesPerAddress: rates('600/min'),
  textBytesPerAddress: rates('16777216/h'),
  textBytesPerUser: rates('67108864/day'),
  imageBytesPerUser: rates('1073741824/day'),
  recipientsPerBody: rates('10/10min'),
  recipientsPerBodyOfService: rates('100/10min'),
  codesPerPhone: rates('100/10min'),
  smsPerPhone: rates('1/30s 5/10min'),
  smsPerUnassignedPhone: rates('1/30day'),
  smsPerPrefix: rates('30/h'),
  smsPerCountry: rates('300/h'),
  smsPerUser: rates('10/h'),
  smsPerToken: rates('1000/h'),
};

/** The values that are fixed; a test may replace some. */
export type Fixed = Readonly<typeof FIXED>;

const FIXED_NOW = 'its value is fixed, see docs/decisions/settings.md';

/** What each former setting of 0.2.0 is now, to end the sentence that says that it does nothing. */
const FORMER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(FIXED).map((property) => [
      property.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      FIXED_NOW,
    ]),
  ),
  MAIL_PACE: 'a mail that its server puts off is sent again later',
  SHORT_PRIVATE_TARGETS: 'short links may lead to private addresses',
  SMS_NETWORKS: 'the host of SMS_URL may be in any network',
  UPSTREAM_NETWORKS: 'the host of UPSTREAM_URL may be in any network',
};

/** The names of the former settings. */
export const FORMER_SETTINGS: readonly string[] = Object.keys(FORMER);

/** One line for each former setting that still has a value. */
export function fixedWarnings(environment: Environment): string[] {
  return FORMER_SETTINGS.filter(
    (variable) => environment[variable] !== undefined && environment[variable] !== '',
  ).map(
    (variable) =>
      `${variable} is no longer a setting and does nothing; ${FORMER[variable]}. Remove it.`,
  );
}
