import type { Form } from './forms.ts';
import * as forms from './forms.ts';
import * as mailForms from './mail-forms.ts';
import * as smsForms from './sms-forms.ts';

/** One environment variable: how it is read, what it is when not set, and what it is for. */
export interface Setting<Value = unknown> {
  readonly variable: string;
  readonly form: Form<Value>;
  /** The text that stands for it when it is not set; when absent, the value is then `undefined`. */
  readonly fallback?: string;
  /** What the documentation shows as the default when there is no `fallback`. */
  readonly without?: string;
  /** What a message must not show of it: anything, or of a URL more than scheme and host. */
  readonly secret?: 'whole' | 'url';
  readonly documentation: string;
}

function setting<const S extends Setting>(value: S): S {
  return value;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Every setting, in the order of the documentation. Nothing else is read from the environment. */
export const SETTINGS = {
  host: setting({
    variable: 'HOST',
    form: forms.host,
    fallback: '127.0.0.1',
    documentation: 'Where to listen. `0.0.0.0` or `::` for every address of the machine.',
  }),
  port: setting({
    variable: 'PORT',
    form: forms.integer(0, 65_535),
    fallback: '8080',
    documentation: 'Where to listen. `0` takes a free port, which the start prints.',
  }),
  console: setting({
    variable: 'CONSOLE',
    form: forms.toggle,
    fallback: 'on',
    documentation: 'Whether there is a [console](console.md) at `/console`.',
  }),
  consolePort: setting({
    variable: 'CONSOLE_PORT',
    form: forms.integer(0, 65_535),
    without: 'none: the console is served on `PORT`',
    documentation: 'Serve the console on a port of its own, and not on `PORT`.',
  }),
  consoleHost: setting({
    variable: 'CONSOLE_HOST',
    form: forms.host,
    fallback: '127.0.0.1',
    documentation: 'Where to listen on `CONSOLE_PORT`.',
  }),
  publicReading: setting({
    variable: 'PUBLIC_READING',
    form: forms.toggle,
    fallback: 'on',
    documentation: 'Whether everybody can read what is [published](api.md#public-reading), below `/api/v1/public`.',
  }),
  publicOrigins: setting({
    variable: 'PUBLIC_ORIGINS',
    form: forms.origins,
    without: 'none: pages of other sites cannot',
    documentation: 'Sites whose pages may read that, separated by commas; `*` for every one.',
  }),
  publicArticleUrl: setting({
    variable: 'PUBLIC_ARTICLE_URL',
    form: forms.articleUrl,
    without: 'none: feeds lead to `/api/v1/public/articles/{guid}`',
    documentation: 'Where people read an article, `{guid}` in the place of its key: what feeds lead to.',
  }),
  socketPath: setting({
    variable: 'SOCKET_PATH',
    form: forms.folder,
    without: 'none: `HOST` and `PORT` count',
    documentation:
      'A socket of the file system to listen on in place of `HOST` and `PORT`, such as `/run/ws01/http.sock`. Who connects there counts as `127.0.0.1`.',
  }),
  socketMode: setting({
    variable: 'SOCKET_MODE',
    form: forms.accessMode,
    fallback: '660',
    documentation: 'Access rights of `SOCKET_PATH`, octal. The group of the socket is that of the service.',
  }),
  tlsCertFile: setting({
    variable: 'TLS_CERT_FILE',
    form: forms.folder,
    without: 'none: the service speaks HTTP',
    documentation:
      'File with the certificate and its chain, PEM: the service speaks HTTPS. Read again at SIGHUP. Goes with `TLS_KEY_FILE`.',
  }),
  tlsKeyFile: setting({
    variable: 'TLS_KEY_FILE',
    form: forms.folder,
    without: 'none',
    documentation: 'File with the key of the certificate, PEM.',
  }),
  baseUrl: setting({
    variable: 'BASE_URL',
    form: forms.publicUrl,
    without: 'none: `http://` and the host that the client used; outside answers `http://localhost:{PORT}`',
    documentation: 'What WSDL addresses and links begin with. Behind a proxy: the public URL, without `/WS01.asmx`.',
  }),
  soapNamespace: setting({
    variable: 'SOAP_NAMESPACE',
    form: forms.namespace,
    fallback: 'urn:ws01',
    documentation: "The XML namespace of requests and answers. Set it to the old service's when replacing one.",
  }),
  soapServiceName: setting({
    variable: 'SOAP_SERVICE_NAME',
    form: forms.xmlName,
    fallback: 'WS01',
    documentation: "The name of the service in WSDL, DISCO, OpenAPI and on its pages. Set it to the old service's.",
  }),
  servicePaths: setting({
    variable: 'SERVICE_PATHS',
    form: forms.servicePaths,
    fallback: '/WS01.asmx',
    documentation: 'Where the service is below `BASE_URL`; of several, separated by commas, the first is what is told.',
  }),
  dataDir: setting({
    variable: 'DATA_DIR',
    form: forms.folder,
    fallback: './data',
    documentation: 'Folder of the embedded database and of the image files; made when it does not exist.',
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    form: forms.postgresUrl,
    without: 'the embedded SQLite file in `DATA_DIR`',
    secret: 'url',
    documentation:
      '`postgres://user:password@host:5432/database` to run many nodes. Several servers: `host1:5432,host2:5432`, of which the one that can be written is taken.',
  }),
  databasePoolSize: setting({
    variable: 'DATABASE_POOL_SIZE',
    form: forms.integer(1, 1_000),
    fallback: '10',
    documentation: 'Connections to PostgreSQL at most, of each of the `WORKERS`.',
  }),
  databaseQueue: setting({
    variable: 'DATABASE_QUEUE',
    form: forms.integer(1, 100_000),
    fallback: '200',
    documentation:
      'Calls that wait for a connection to PostgreSQL at most, half of them from one address; more are `Busy` at once.',
  }),
  databaseStatementSeconds: setting({
    variable: 'DATABASE_STATEMENT_SECONDS',
    form: forms.integer(1, 600),
    fallback: '10',
    documentation: 'How long one statement may take on PostgreSQL, and a call wait for its turn.',
  }),
  databaseLockSeconds: setting({
    variable: 'DATABASE_LOCK_SECONDS',
    form: forms.integer(1, 600),
    fallback: '5',
    documentation: 'How long a statement may wait for a lock of another one on PostgreSQL.',
  }),
  databaseIdleSeconds: setting({
    variable: 'DATABASE_IDLE_SECONDS',
    form: forms.integer(1, 600),
    fallback: '10',
    documentation:
      'After how long PostgreSQL undoes a transaction in which a node asks nothing: a node that stands still frees its locks.',
  }),
  filesUrl: setting({
    variable: 'FILES_URL',
    form: forms.filesLocation,
    without: '`{DATA_DIR}/files`',
    secret: 'url',
    documentation: 'Where image files are kept: a folder, or `s3://bucket/prefix?endpoint=…&region=…` to share them.',
  }),
  backupTo: setting({
    variable: 'BACKUP_TO',
    form: forms.filesLocation,
    without: 'none: the service makes no backups',
    secret: 'url',
    documentation:
      'Where backups are kept: a folder, best on another disk, or `s3://bucket/prefix?endpoint=…&region=…`, see [backup](operations/backup.md).',
  }),
  backupSchedule: setting({
    variable: 'BACKUP_SCHEDULE',
    form: forms.schedule,
    fallback: '03:00',
    documentation:
      'When backups are made: times of the day in `TIME_ZONE`, such as `03:00,15:00`, or every so many hours: `6h`.',
  }),
  backupKeep: setting({
    variable: 'BACKUP_KEEP',
    form: forms.integer(1, 10_000),
    fallback: '14',
    documentation: 'Backups that are kept; older ones are removed when a new one has been verified.',
  }),
  filesTimeoutSeconds: setting({
    variable: 'FILES_TIMEOUT_SECONDS',
    form: forms.integer(1, 300),
    fallback: '10',
    documentation: 'How long S3 may say nothing before a request is given up; it is made once more.',
  }),
  trashKeptDays: setting({
    variable: 'TRASH_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation: 'Days that a deleted article stays in the trash; then it is purged with its images.',
  }),
  removedImagesKeptDays: setting({
    variable: 'REMOVED_IMAGES_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '365',
    documentation: 'Days that an image a moderator removed can be restored; then it is purged.',
  }),
  revisionsKeptDays: setting({
    variable: 'REVISIONS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '1095',
    documentation:
      'Days that an earlier content of an article is kept after it was replaced; the audit trail still tells who wrote it.',
  }),
  postingsKeptDays: setting({
    variable: 'POSTINGS_KEPT_DAYS',
    form: forms.integer(3_651, 36_500),
    fallback: '3660',
    documentation:
      'Days that a creation is counted by `countUserPosted` and `countIpPosted`; no fewer than they can be asked for.',
  }),
  visitsKeptDays: setting({
    variable: 'VISITS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '400',
    documentation: 'Days that visits of short links are kept by day; older ones are added up by month.',
  }),
  verificationsKeptDays: setting({
    variable: 'VERIFICATIONS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation: 'Days that it is kept which user verified which number; only the last 30 minutes count.',
  }),
  auditKeptDays: setting({
    variable: 'AUDIT_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '1095',
    documentation: 'Days that an entry of the audit trail is kept.',
  }),
  diskWarnBelow: setting({
    variable: 'DISK_WARN_BELOW',
    form: forms.reserve,
    fallback: '10%',
    documentation:
      'Free room on the disks of `DATA_DIR` and the image files below which `/readyz?verbose` and `ws01 status` say that `disk` is degraded: `10%` or `5G`.',
  }),
  bootstrapToken: setting({
    variable: 'BOOTSTRAP_TOKEN',
    form: forms.tokenText,
    without: 'none: the first start makes a token; a terminal shows it once, else it is in `{DATA_DIR}/first-token`',
    secret: 'whole',
    documentation:
      'Text of a token that exists from the start, for automated installs: kind `service`, all scopes, a registered default sender.',
  }),
  timeZone: setting({
    variable: 'TIME_ZONE',
    form: forms.timeZone,
    fallback: 'UTC',
    documentation: 'IANA name of the zone that dates without a zone are in, and where a day begins.',
  }),
  legacyCharset: setting({
    variable: 'LEGACY_CHARSET',
    form: forms.legacyCharset,
    without: 'none: bytes that are not UTF-8 become `?`, and the answer has the header `X-Warning`',
    documentation:
      'Charset of old clients that send `text/xml` without one and bytes that are not UTF-8: `gb18030`, `windows-1252`.',
  }),
  legacyImagePaths: setting({
    variable: 'LEGACY_IMAGE_PATHS',
    form: forms.pathPatterns('{key}', '/upload/{key}.jpg,/img.aspx?id={key}'),
    without: 'none',
    documentation:
      'Where the old service had its images, with `{key}` for the key: `/upload/{key}.jpg`. They are answered there, too.',
  }),
  legacyLinkPaths: setting({
    variable: 'LEGACY_LINK_PATHS',
    form: forms.pathPatterns('{code}', '/go/{code},/go.aspx?id={code}'),
    without: 'none',
    documentation: 'Where the old service had its short links, with `{code}` for the code: `/go.aspx?id={code}`.',
  }),
  upstreamUrl: setting({
    variable: 'UPSTREAM_URL',
    form: forms.upstreamUrl,
    without: 'none: unknown operations are an error',
    documentation:
      'The service that this one replaces, with its path: operations that only it has are passed on to it byte for byte.',
  }),
  upstreamOperations: setting({
    variable: 'UPSTREAM_OPERATIONS',
    form: forms.operationNames,
    without: 'none: all 20 operations are answered here',
    documentation: 'Operations, separated by commas, that are passed on as well, until they have moved.',
  }),
  upstreamNetworks: setting({
    variable: 'UPSTREAM_NETWORKS',
    form: forms.networks,
    without: 'none: only public addresses are connected to',
    documentation: 'Private networks that `UPSTREAM_URL` may lead to; written as `TRUSTED_PROXIES`.',
  }),
  defaultCountry: setting({
    variable: 'DEFAULT_COUNTRY',
    form: forms.country,
    without: 'none: such numbers are kept as digits',
    documentation: 'Two-letter country code that phone numbers without `+` are read in.',
  }),
  trustedProxies: setting({
    variable: 'TRUSTED_PROXIES',
    form: forms.networks,
    without: 'none: the address of the connection counts',
    documentation:
      'Addresses or networks, separated by commas, whose `X-Forwarded-For`, `-Host` and `-Proto` are believed; also the words `loopback` and `private`.',
  }),
  trustedCallers: setting({
    variable: 'TRUSTED_CALLERS',
    form: forms.networks,
    without: 'none: only credentials are believed',
    documentation:
      'Addresses or networks of back ends whose `ip` is believed on operations without a credential, too; written as `TRUSTED_PROXIES`.',
  }),
  reviewsFrom: setting({
    variable: 'REVIEWS_FROM',
    form: forms.word('anyone', 'trusted'),
    fallback: 'anyone',
    documentation: 'Who may call `submitReview`: `anyone`, or only back ends of `TRUSTED_CALLERS` (`trusted`).',
  }),
  reviewScale: setting({
    variable: 'REVIEW_SCALE',
    form: forms.integer(1, 1_000),
    fallback: '5',
    documentation: 'The best rating; `Mark` is a number from 0 to this, or a remark.',
  }),
  shortBaseUrl: setting({
    variable: 'SHORT_BASE_URL',
    form: forms.publicUrl,
    without: '`{BASE_URL}/s`',
    documentation: 'What short links begin with.',
  }),
  shortPrivateTargets: setting({
    variable: 'SHORT_PRIVATE_TARGETS',
    form: forms.toggle,
    fallback: 'on',
    documentation: 'Whether short links may lead to private addresses and to names of local networks.',
  }),
  codeSecret: setting({
    variable: 'CODE_SECRET',
    form: forms.secretText,
    without: 'none: the keys in the database are used as they are',
    secret: 'whole',
    documentation:
      'Secret that the keys of verification codes are mixed with, so that a copy of the database alone tells no code. The same on every node.',
  }),
  rateLimits: setting({
    variable: 'RATE_LIMITS',
    form: forms.toggle,
    fallback: 'on',
    documentation: '`off` switches every budget off, for benchmarks and tests.',
  }),
  linksPerAddress: setting({
    variable: 'LINKS_PER_ADDRESS',
    form: forms.rates,
    fallback: '600/min',
    documentation: 'Budget of `UrltoShortUrl`: new short links from one address.',
  }),
  reviewsPerAddress: setting({
    variable: 'REVIEWS_PER_ADDRESS',
    form: forms.rates,
    fallback: '600/min',
    documentation: 'Budget of `submitReview`: reviews from one address.',
  }),
  queriesPerAddress: setting({
    variable: 'QUERIES_PER_ADDRESS',
    form: forms.rates,
    fallback: '6000/min',
    documentation: 'Budget of `QueryImgData` and `QueryAdvert` together, from one address.',
  }),
  picturesPerAddress: setting({
    variable: 'PICTURES_PER_ADDRESS',
    form: forms.rates,
    fallback: '600/min',
    documentation: 'Budget of QR codes of short links that must be drawn, for one address.',
  }),
  mailsPerSender: setting({
    variable: 'MAILS_PER_SENDER',
    form: forms.rates,
    fallback: '600/h',
    documentation: 'Budget of `SendEmail`: mails of one sender.',
  }),
  mailsPerRecipient: setting({
    variable: 'MAILS_PER_RECIPIENT',
    form: forms.rates,
    fallback: '10/h',
    documentation: 'Budget of `SendEmail`: mails to one recipient.',
  }),
  recipientsPerBody: setting({
    variable: 'RECIPIENTS_PER_BODY',
    form: forms.rates,
    fallback: '10/10min',
    documentation: 'Mailboxes that one user token may send one text to; beyond it is mass mail.',
  }),
  recipientsPerBodyOfService: setting({
    variable: 'RECIPIENTS_PER_BODY_OF_SERVICE',
    form: forms.rates,
    fallback: '100/10min',
    documentation: 'Mailboxes that service and admin tokens may send one text to, for each sender.',
  }),
  codesPerPhone: setting({
    variable: 'CODES_PER_PHONE',
    form: forms.rates,
    fallback: '100/10min',
    documentation: 'Budget of `CreateVerifyCode` without an SMS gateway: codes for one number.',
  }),
  smsPerPhone: setting({
    variable: 'SMS_PER_PHONE',
    form: forms.rates,
    fallback: '1/30s 5/10min',
    documentation: 'Budget of `CreateVerifyCode` with an SMS gateway: codes sent to one number.',
  }),
  smsPerPrefix: setting({
    variable: 'SMS_PER_PREFIX',
    form: forms.rates,
    fallback: '30/h',
    documentation: 'Budget of text messages to numbers that differ in their last four digits only.',
  }),
  smsPerCountry: setting({
    variable: 'SMS_PER_COUNTRY',
    form: forms.rates,
    fallback: '300/h',
    documentation: 'Budget of text messages to one country other than `DEFAULT_COUNTRY`.',
  }),
  smsPerUser: setting({
    variable: 'SMS_PER_USER',
    form: forms.rates,
    fallback: '10/h',
    documentation: 'Budget of text messages that one user asks for with user tokens.',
  }),
  smsPerToken: setting({
    variable: 'SMS_PER_TOKEN',
    form: forms.rates,
    fallback: '1000/h',
    documentation: 'Budget of text messages that are asked for with one service or admin token.',
  }),
  smsPerDay: setting({
    variable: 'SMS_PER_DAY',
    form: forms.rates,
    fallback: '5000/day',
    documentation: 'Budget of text messages in all.',
  }),
  postsPerUser: setting({
    variable: 'POSTS_PER_USER',
    form: forms.rates,
    fallback: '200/day',
    documentation: 'Articles, adverts and images together that one user may create with user tokens.',
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    form: forms.word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'info',
    documentation: 'Least severe level that is logged: `trace debug info warn error fatal`, or `silent`.',
  }),
  logCalls: setting({
    variable: 'LOG_CALLS',
    form: forms.logCalls,
    without: '`8000/30s` where the log goes to journald, whose own limit drops errors, too; else `off`',
    documentation:
      'Lines of calls that went well, or failed by the client’s fault, at most; others are only counted. Warnings and errors are always written. `off` for no limit.',
  }),
  slowCallMs: setting({
    variable: 'SLOW_CALL_MS',
    form: forms.integer(0, 600_000),
    fallback: '2000',
    documentation:
      'A call that takes longer, the arrival of its request not counted, gets a line of its own in the log that says where the time went; ms. `0` for none.',
  }),
  workers: setting({
    variable: 'WORKERS',
    form: forms.integer(1, 256),
    fallback: '1',
    documentation:
      'Processes that serve calls on this machine, see [cores](deployment.md#cores). More than 1 needs `DATABASE_URL`.',
  }),
  workerTimeoutSeconds: setting({
    variable: 'WORKER_TIMEOUT_SECONDS',
    form: forms.integer(2, 3_600),
    fallback: '30',
    documentation: 'A worker that stands still for so long is killed and replaced.',
  }),
  fastPath: setting({
    variable: 'FAST_PATH',
    form: forms.toggle,
    fallback: 'on',
    documentation:
      '`off` answers every call the general way: the same answers for more CPU time. To rule the short cuts out.',
  }),
  mcp: setting({
    variable: 'MCP',
    form: forms.toggle,
    fallback: 'off',
    documentation:
      '`on` serves the operations as tools of the Model Context Protocol at `/mcp`, see [tools](mcp.md). Needs `npm install @modelcontextprotocol/sdk`.',
  }),
  refuseEmbeddedWrites: setting({
    variable: 'REFUSE_EMBEDDED_WRITES',
    form: forms.toggle,
    fallback: 'on',
    documentation:
      'Whether operations that write refuse what a browser asks for to show a part of a page: an image, script, style, font or media (`Sec-Fetch-Dest`). `off` for pages that count or vote by an image.',
  }),
  metricsPort: setting({
    variable: 'METRICS_PORT',
    form: forms.integer(0, 65_535),
    without: 'none: nothing is measured',
    documentation:
      'Serves metrics for Prometheus at `/metrics` on this port; `0` takes a free one, which the log names.',
  }),
  metricsHost: setting({
    variable: 'METRICS_HOST',
    form: forms.host,
    fallback: '127.0.0.1',
    documentation: 'Where `METRICS_PORT` listens. Metrics tell how a service is used; keep them from the world.',
  }),
  drainSeconds: setting({
    variable: 'DRAIN_SECONDS',
    form: forms.integer(0, 3_600),
    fallback: '0',
    documentation:
      'When stopping: how long calls are still served while `/readyz` says 503, so that a balancer takes the node out first.',
  }),
  maxRequestBytes: setting({
    variable: 'MAX_REQUEST_BYTES',
    form: forms.integer(1, GIB),
    fallback: String(4 * 1024 ** 2),
    documentation: 'Largest body of a request without an image.',
  }),
  maxImageBytes: setting({
    variable: 'MAX_IMAGE_BYTES',
    form: forms.integer(1, GIB),
    fallback: String(10 * 1024 ** 2),
    documentation: 'Largest image file; a body that carries one is bounded by this.',
  }),
  maxUnjudgedBytes: setting({
    variable: 'MAX_UNJUDGED_BYTES',
    form: forms.integer(MIB, GIB),
    without: 'four times `MAX_REQUEST_BYTES`, and at least 16777216',
    documentation:
      'What all requests together may hold in memory before their credentials are judged; beyond it the oldest is refused, see [limits](security/limits.md).',
  }),
  maxCalls: setting({
    variable: 'MAX_CALLS',
    form: forms.integer(1, 1_000_000),
    fallback: '2000',
    documentation:
      'Calls that may wait or be carried out at once in a process, and half of it for one address alone; beyond it they are told `Busy`.',
  }),
  minBodyRate: setting({
    variable: 'MIN_BODY_RATE',
    form: forms.integer(1, GIB),
    fallback: '240',
    documentation: 'Bytes a second that a request body must come with, on the average; a slower one is refused.',
  }),
  bodyGraceSeconds: setting({
    variable: 'BODY_GRACE_SECONDS',
    form: forms.integer(1, 300),
    fallback: '5',
    documentation: 'How long a client is waited for before `MIN_BODY_RATE` counts.',
  }),
  maxUnreadBytes: setting({
    variable: 'MAX_UNREAD_BYTES',
    form: forms.integer(MIB, GIB),
    fallback: String(16 * MIB),
    documentation:
      'What all answers together may hold that their clients do not read; beyond it the slowest client is disconnected, see [limits](security/limits.md).',
  }),
  maxImagePixels: setting({
    variable: 'MAX_IMAGE_PIXELS',
    form: forms.integer(1, 2 ** 31 - 1),
    fallback: '50000000',
    documentation: 'Largest image in pixels, all frames together.',
  }),
  imageDecoders: setting({
    variable: 'IMAGE_DECODERS',
    form: forms.integer(1, 64),
    fallback: '2',
    documentation: 'Images decoded at once, each in a process of its own; of each of the `WORKERS`.',
  }),
  imageMemoryBytes: setting({
    variable: 'IMAGE_MEMORY_BYTES',
    form: forms.integer(128 * 1024 ** 2, 16 * GIB),
    fallback: String(256 * 1024 ** 2),
    documentation:
      'Memory of one of these processes at most; an image that would take more is refused, see [images](operations/images.md).',
  }),
  imageCpuMs: setting({
    variable: 'IMAGE_CPU_MS',
    form: forms.integer(100, 600_000),
    fallback: '10000',
    documentation: 'Processor time that one image may take, in ms; one that takes more is refused.',
  }),
  imageQueue: setting({
    variable: 'IMAGE_QUEUE',
    form: forms.integer(0, 100_000),
    fallback: '200',
    documentation: 'Images that wait to be decoded; further ones are answered `Busy`.',
  }),
  serviceName: setting({
    variable: 'SERVICE_NAME',
    form: smsForms.serviceName,
    fallback: 'WS01',
    documentation: 'What users know the service by; text messages name it.',
  }),
  smtpServer: setting({
    variable: 'SMTP_URL',
    form: mailForms.smtpServer,
    without: 'none: mails are kept and shown, not sent',
    secret: 'url',
    documentation:
      'The mail server: `smtp://user:password@host:587` or `smtps://…`, with the options of [mail](operations/mail.md).',
  }),
  mailFrom: setting({
    variable: 'MAIL_FROM',
    form: forms.mailbox,
    without: '`ws01@` and the host of `BASE_URL`',
    documentation: 'The sender of mails: `news@example.com` or `Example <news@example.com>`.',
  }),
  mailDkimKey: setting({
    variable: 'MAIL_DKIM_KEY',
    form: mailForms.dkimKey,
    without: 'none: mails are not signed here',
    secret: 'whole',
    documentation:
      'RSA private key, PEM or the path of its file, that mails are signed with for the domain of `MAIL_FROM`.',
  }),
  mailDkimSelector: setting({
    variable: 'MAIL_DKIM_SELECTOR',
    form: mailForms.dkimSelector,
    fallback: 'ws01',
    documentation: 'Under which name in DNS the public key is published: `{selector}._domainkey.{domain}`.',
  }),
  mailPace: setting({
    variable: 'MAIL_PACE',
    form: forms.rates,
    fallback: 'off',
    documentation: 'Mails to one domain of recipients, evenly spaced, from each node; such as `60/min`.',
  }),
  mailKeptDays: setting({
    variable: 'MAIL_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '90',
    documentation: 'Days after its end that a mail can be looked at; then it is removed with its body.',
  }),
  unsentMailsKeptDays: setting({
    variable: 'UNSENT_MAILS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '365',
    documentation: 'Days that a mail waits for a mail server to be configured; then it is cancelled.',
  }),
  smsGateway: setting({
    variable: 'SMS_URL',
    form: smsForms.smsGateway,
    without: 'none: `CreateVerifyCode` returns the code to the caller',
    secret: 'url',
    documentation:
      'The SMS gateway: `twilio://…`, `smpp://…` or the URL of an HTTP webhook, see [text messages](operations/sms.md).',
  }),
  smsSecret: setting({
    variable: 'SMS_SECRET',
    form: forms.secretText,
    without: 'none: an HTTP webhook cannot be used',
    secret: 'whole',
    documentation: 'Secret that calls of an HTTP webhook are signed with; it knows the same one.',
  }),
  smsCountries: setting({
    variable: 'SMS_COUNTRIES',
    form: forms.countries,
    without: 'none: messages go to all countries',
    documentation: 'Countries that text messages are sent to, such as `US,CN`; to others they are refused.',
  }),
  smsText: setting({
    variable: 'SMS_TEXT',
    form: smsForms.smsText,
    fallback: '{service}: your code is {code}. It is valid for 3 minutes.',
    documentation: 'What a text message says: `{code}` is the code, `{service}` is `SERVICE_NAME`.',
  }),
  smsKeptDays: setting({
    variable: 'SMS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation: 'Days after its end that a text message can be looked at.',
  }),
} as const satisfies Record<string, Setting>;

type ValueOf<S extends Setting> = S extends { form: Form<infer Value> }
  ? S extends { fallback: string }
    ? Value
    : Value | undefined
  : never;

/** The value of each setting. */
export type Settings = { readonly [Property in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Property]> };
