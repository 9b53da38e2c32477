/**
 * What people call a setting, in English and Chinese; what it is for in Chinese, and its default
 * where that is a sentence.
 */
export type SettingTexts = readonly [en: string, zh: string, about: string, without?: string];

/** A group of settings on the page: those that anybody sets, then by what an owner of a site wants to do. */
interface SettingGroup {
  readonly en: string;
  readonly zh: string;
  readonly settings: Readonly<Record<string, SettingTexts>>;
}

const DAYS = '之后删除。';

export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    en: 'What most sites set',
    zh: '多数站点会设置的',
    settings: {
      SERVICE_NAME: [
        'Name of the site',
        '站点名称',
        '站点的名称：显示在页面的顶部和标题中，以及短信中。',
      ],
      SMTP_URL: [
        'Mail server',
        '邮件服务器',
        '邮件服务器：`smtp://user:password@host:587` 或 `smtps://…`，可带邮件选项。',
        '无：邮件只保存和显示，不发送',
      ],
      MAIL_FROM: [
        'Sender of mails',
        '发件人',
        '邮件的发件人：`news@example.com` 或 `Example <news@example.com>`。',
        '`ws01@` 加 `BASE_URL` 的主机名',
      ],
      MAIL_DKIM_KEY: [
        'Signature of mails',
        '邮件签名密钥',
        '为 `MAIL_FROM` 的域名签署邮件的 RSA 私钥：PEM 文本，或文件路径。',
        '无：邮件不在此签名',
      ],
      SMS_URL: [
        'Gateway of text messages',
        '短信网关',
        '短信网关：`twilio://…`、`smpp://…`，或 HTTP webhook 的 URL。',
        '无：`CreateVerifyCode` 将验证码返回给调用方',
      ],
      BACKUP_TO: [
        'Where backups go',
        '备份存放位置',
        '备份的存放位置：一个文件夹（最好在另一块磁盘上），或 ' +
          '`s3://bucket/prefix?endpoint=…&region=…`。未设置时，有人做了第一次备份之后才开始定时备份。',
        '`DATA_DIR` 中的 `backups`；设置了 `DATABASE_URL` 或 `FILES_URL` 时为无',
      ],
      BACKUP_KEEP: [
        'Backups that are kept',
        '保留的备份数',
        '保留多少个备份；新备份通过验证后，删除更早的。',
      ],
      BASE_URL: [
        'Public address',
        '公开地址',
        '服务的公开 URL，不含 `/WS01.asmx`。WSDL 和链接中的地址以它开头。' +
          '在代理之后运行时请设置。',
        '无：`http://` 加请求中的主机；邮件中为 `http://localhost:{PORT}`',
      ],
      TIME_ZONE: [
        'Time zone',
        '时区',
        'IANA 时区（或 Windows 名称）：用于未注明时区的日期，和按天的额度与计数。',
      ],
      DEFAULT_COUNTRY: [
        'Country of phone numbers',
        '电话号码的国家',
        '不带 `+` 的电话号码所属国家的两位代码。',
        '无：此类号码按数字保存',
      ],
      HOST: [
        'Address to listen on',
        '监听地址',
        '监听的地址。`0.0.0.0` 或 `::` 表示本机的所有地址。',
      ],
      PORT: ['Port', '端口', '监听的端口。`0` 表示使用一个空闲端口，启动时会打印出来。'],
      TRUSTED_PROXIES: [
        'Trusted proxies',
        '受信任的代理',
        '受信任其 `X-Forwarded-For`、`-Host` 和 `-Proto` 的地址或网段，用逗号分隔；' +
          '也可写 `loopback` 和 `private`。',
        '无：使用连接的地址',
      ],
      DATA_DIR: [
        'Folder of the data',
        '数据文件夹',
        '内嵌数据库和图片文件的文件夹；不存在时会创建。',
      ],
      METRICS_PORT: [
        'Port of metrics',
        '指标端口',
        '在 `/metrics` 提供 Prometheus 指标的端口；`0` 表示使用一个空闲端口，日志中会写明。',
        '无：不做测量',
      ],
    },
  },
  {
    en: 'What visitors see',
    zh: '访客看到的内容',
    settings: {
      PUBLIC_READING: [
        'Public reading',
        '公开阅读',
        '允许所有人在 `/api/v1/public` 下读取已发布的内容。',
      ],
      PUBLIC_ORIGINS: [
        'Sites that may read',
        '可读取的站点',
        '其页面可以读取 `/api/v1/public` 的站点，用逗号分隔；`*` 表示全部。',
        '无：其他站点的页面不能读取',
      ],
      PUBLIC_ARTICLE_URL: [
        'Address of an article',
        '文章地址',
        '供读者访问的文章 URL，其中 `{guid}` 代表键；订阅源链接到它。',
        '无：订阅源链接到 `/api/v1/public/articles/{guid}`',
      ],
      SHORT_BASE_URL: ['Address of short links', '短链接地址', '短链接以此 URL 开头。'],
      REVIEWS_FROM: [
        'Who may review',
        '谁可以评价',
        '谁可以调用 `submitReview`：任何人（`anyone`），或仅 `TRUSTED_CALLERS` ' +
          '中的后端（`trusted`）。',
      ],
      REVIEW_SCALE: [
        'Highest rating',
        '最高评分',
        '最高评分；`Mark` 是从 0 到它的数字，或一段评语。',
      ],
      COUNTRY_HEADER: [
        'Header with the country',
        '国家标头',
        '`TRUSTED_PROXIES` 中的代理用来发送访客两位国家代码的标头，例如 `CF-IPCountry`；' +
          '短链接的访问按它统计。',
        '无：改为统计浏览器的语言',
      ],
    },
  },
  {
    en: 'How much people may send',
    zh: '发送额度',
    settings: {
      POSTS_PER_USER: [
        'Posts of one user',
        '每位用户的发布量',
        '一位用户用用户令牌总共可以创建多少文章、广告和图片。',
      ],
      MAILS_PER_SENDER: [
        'Mails of one sender',
        '每位发件人的邮件量',
        '`SendEmail` 的额度：一位发件人的邮件数。',
      ],
      MAILS_PER_RECIPIENT: [
        'Mails to one person',
        '发给同一人的邮件量',
        '`SendEmail` 的额度：发给同一收件人的邮件数。',
      ],
      SMS_PER_DAY: ['Text messages a day', '每日短信量', '所有短信合计的额度。'],
      RATE_LIMITS: [
        'All of these limits',
        '是否启用这些额度',
        '`off` 关闭所有额度，用于基准测试和测试。',
      ],
      MAX_REQUEST_BYTES: ['Largest request', '最大请求', '不含图片的请求正文的最大字节数。'],
      MAX_IMAGE_BYTES: [
        'Largest picture',
        '最大图片文件',
        '图片文件的最大字节数；也限制带图片的请求的正文。',
      ],
      MAX_IMAGE_PIXELS: [
        'Most pixels of a picture',
        '图片最大像素',
        '图片的最大像素数，所有帧合计。',
      ],
    },
  },
  {
    en: 'How long things are kept',
    zh: '保留时间',
    settings: {
      TRASH_KEPT_DAYS: [
        'Trash',
        '回收站',
        `已删除的文章在回收站中保留的天数，${DAYS}图片一并清除。`,
      ],
      REVISIONS_KEPT_DAYS: [
        'Old revisions',
        '旧版本',
        '文章旧版本保留的天数；审计记录仍显示由谁撰写。',
      ],
      AUDIT_KEPT_DAYS: ['Audit trail', '审计记录', '审计记录条目保留的天数。'],
      MAIL_KEPT_DAYS: ['Mails', '邮件', `邮件发送或失败后保留的天数，${DAYS}正文一并删除。`],
      SMS_KEPT_DAYS: ['Text messages', '短信', '短信发送或失败后保留的天数。'],
    },
  },
  {
    en: 'Mail and text messages',
    zh: '邮件与短信',
    settings: {
      MAIL_UNSUBSCRIBE: [
        'Unsubscribe by one click',
        '一键退订',
        '`on`：`SendEmail` 邮件的读者可以一键退订（RFC 8058）；`BASE_URL` 必须是 https。',
      ],
      MAIL_BOUNCES: [
        'Where bounces come from',
        '退信来源',
        '退信从哪里来：一个邮箱 `imaps://…`，或一个中继。',
        '无：不读取之后的退信',
      ],
      MAIL_DKIM_SELECTOR: [
        'Selector of the signature',
        '签名选择器',
        'DNS 中 DKIM 公钥的选择器：`{selector}._domainkey.{domain}`。',
      ],
      MAIL_REFUSED: [
        'Mail about a rejection',
        '未通过审核的邮件',
        '内容未通过审核时发给作者的邮件，第一行是主题；' +
          '会填入 `{reason}`、`{title}` 和 `{name}`，`\\n` 另起一行。',
        '英文文本；理由为中文时用中文文本',
      ],
      SMS_TEXT: [
        'Text of a message',
        '短信文本',
        '短信的文本：`{code}` 是验证码，`{service}` 是 `SERVICE_NAME`；可以有多行，`\\n` ' +
          '另起一行。',
        '`{service}: your code is {code}. It is valid for 3 minutes.`；https 时另加一行 `@host #{code}`',
      ],
      SMS_COUNTRIES: [
        'Countries of text messages',
        '短信国家',
        '可以发送短信的国家，例如 `US,CN`；其他国家拒绝。',
        '无：可以发往所有国家',
      ],
      SMS_SECRET: [
        'Secret of the gateway',
        '网关密钥',
        '为 HTTP webhook 的调用签名的密钥，webhook 用同一密钥校验。',
        '无：不能使用 HTTP webhook',
      ],
      SMS_TEST_CODES: [
        'Test numbers',
        '测试号码',
        '测试号码及其固定验证码：`+12015550123=123456,…`。',
        '无',
      ],
    },
  },
  {
    en: 'Backups',
    zh: '备份',
    settings: {
      BACKUP_SCHEDULE: [
        'When backups are made',
        '备份时间',
        '何时做备份：`TIME_ZONE` 中的时刻，例如 `03:00,15:00`；或以小时为单位的间隔，' +
          '例如 `6h`。',
      ],
      BACKUP_IMAGES: [
        'With pictures',
        '包含图片',
        '备份包含图片文件，也含 S3 中的。若存储桶保留版本或另有备份，可设 `off`。',
      ],
    },
  },
  {
    en: 'To take over from an older service',
    zh: '接替旧服务',
    settings: {
      SOAP_NAMESPACE: [
        'XML namespace',
        'XML 命名空间',
        '请求和应答的 XML 命名空间。接替旧服务时，请使用它的命名空间。',
      ],
      SOAP_SERVICE_NAME: [
        'Name in WSDL',
        'WSDL 中的名称',
        'WSDL、DISCO、OpenAPI 及其页面中的服务名称。接替旧服务时，请使用它的名称。',
      ],
      SERVICE_PATHS: [
        'Paths of the service',
        '服务路径',
        '服务在 `BASE_URL` 之下的路径，用逗号分隔。WSDL 和页面显示第一个。',
      ],
      LEGACY_CHARSET: [
        'Charset of old clients',
        '旧客户端的字符集',
        '旧客户端发送 `text/xml` 时未注明且不是 UTF-8 的字符集，例如 `gb18030` 或 ' +
          '`windows-1252`。',
        '无：不是 UTF-8 的字节变为 `?`，应答带有标头 `X-Warning`',
      ],
      LEGACY_IMAGE_PATHS: [
        'Old paths of pictures',
        '旧图片路径',
        '旧服务上图片的路径，`{key}` 代表键，`*` 代表一段，例如 `/upload/*/*/{key}.jpg`。' +
          '图片在那里也可访问。',
        '无',
      ],
      LEGACY_LINK_PATHS: [
        'Old paths of short links',
        '旧短链接路径',
        '旧服务上短链接的路径，`{code}` 代表短码，例如 `/go.aspx?id={code}`，' +
          '参数顺序不限。在这里同样有效。',
        '无',
      ],
      UPSTREAM_URL: [
        'Address of the old service',
        '旧服务地址',
        '被本服务接替的服务的 URL（含路径）。只有它才有的操作，其调用会转发给它。',
        '无：未知操作是错误',
      ],
      UPSTREAM_OPERATIONS: [
        'Operations not moved yet',
        '尚未迁移的操作',
        '在迁移之前同样转发给 `UPSTREAM_URL` 的操作，用逗号分隔。',
        '无：本服务回答全部 20 个操作',
      ],
    },
  },
  {
    en: 'To grow beyond one process',
    zh: '扩展到多个进程',
    settings: {
      DATABASE_URL: [
        'PostgreSQL server',
        'PostgreSQL 服务器',
        '`postgres://user:password@host:5432/database`，用于运行多个节点。多台服务器：' +
          '`host1:5432,host2:5432`；使用接受写入的那台。',
        '`DATA_DIR` 中的内嵌 SQLite 文件',
      ],
      DATABASE_READ_URL: [
        'Standby to read from',
        '只读备用服务器',
        '`DATABASE_URL` 的 PostgreSQL 备用服务器，用于列表和计数。需要 `DATABASE_URL`。',
        '无：由 `DATABASE_URL` 回答一切',
      ],
      DATABASE_POOL_SIZE: [
        'Most connections',
        '最大连接数',
        '每个 `WORKERS` 进程与 PostgreSQL 的最大连接数。',
      ],
      FILES_URL: [
        'Where pictures are stored',
        '图片存放位置',
        '图片文件的存放位置：一个文件夹，或 `s3://bucket/prefix?endpoint=…&region=…` ' +
          '以便共享。',
      ],
      WORKERS: [
        'Processes',
        '进程数',
        '本机上处理调用的进程数。大于 1 需要 `DATABASE_URL`。`auto` ' +
          '表示服务可用的每个核心一个，没有 `DATABASE_URL` 时为 1。',
      ],
      DRAIN_SECONDS: [
        'Time to drain',
        '退出前的等待',
        '停止时：在 `/readyz` 回答 503 期间仍处理调用多少秒，以便负载均衡器先移除该节点。',
      ],
      CODE_SECRET: [
        'Secret of phone codes',
        '验证码密钥',
        '加入验证码密钥的秘密，使数据库副本本身不会泄露验证码。每个节点相同。',
        '无：只使用数据库中的密钥',
      ],
      BOOTSTRAP_TOKEN: [
        'First token',
        '首个令牌',
        '启动时创建的令牌文本，用于自动安装：类型 `service`，全部权限，' +
          '一位已注册的默认发件人。',
        '无：首次启动会创建一个令牌；终端显示一次，否则在 `{DATA_DIR}/first-token` 中',
      ],
    },
  },
  {
    en: 'Server and safety',
    zh: '服务器与安全',
    settings: {
      SOCKET_PATH: [
        'Unix socket',
        'Unix 套接字',
        '代替 `HOST` 和 `PORT` 监听的 Unix 套接字，例如 `/run/ws01/http.sock`。其客户端视为 ' +
          '`127.0.0.1`。',
        '无：使用 `HOST` 和 `PORT`',
      ],
      TLS_CERT_FILE: [
        'Certificate',
        '证书',
        '证书及其链的 PEM 文件；启用 HTTPS。收到 SIGHUP 时重新读取。需要 `TLS_KEY_FILE`。',
        '无：服务使用 HTTP',
      ],
      TLS_KEY_FILE: ['Key of the certificate', '证书私钥', '证书私钥的 PEM 文件。', '无'],
      CONSOLE: ['Console', '控制台', '在 `/console` 提供控制台。'],
      CONSOLE_PORT: [
        'Port of the console',
        '控制台端口',
        '只在此端口提供控制台，不在 `PORT` 上提供。',
        '无：控制台在 `PORT` 上提供',
      ],
      CONSOLE_HOST: ['Address of the console', '控制台地址', '`CONSOLE_PORT` 监听的地址。'],
      TRUSTED_CALLERS: [
        'Trusted back ends',
        '受信任的后端',
        '在不需要凭据的操作中，其 `ip` 参数也受信任的后端的地址或网段；写法同 ' +
          '`TRUSTED_PROXIES`。',
        '无：只有带凭据的调用可以指明 `ip`',
      ],
      REFUSE_EMBEDDED_WRITES: [
        'Writes from other pages',
        '来自其他页面的写入',
        '写入操作拒绝浏览器为图片、脚本、样式、' +
          '字体或媒体发出的请求（`Sec-Fetch-Dest`）。用图片计数或投票的页面可设为 ' +
          '`off`。',
      ],
      WEBHOOK_NETWORKS: [
        'Networks of webhooks',
        'Webhook 网段',
        'webhook 可以位于的专用网段；写法同 `TRUSTED_PROXIES`。',
        '无：只连接公网地址',
      ],
      MCP: [
        'Tools of assistants (MCP)',
        '助手工具（MCP）',
        '`on` 在 `/mcp` 以模型上下文协议（MCP）工具的形式提供各操作。需要 `npm install ' +
          '@modelcontextprotocol/sdk`。',
      ],
      FAST_PATH: [
        'Fast path',
        '快速路径',
        '`off` 让每个调用都走通用路径，以查明问题是否由快速路径引起。应答相同，' +
          '但占用更多 CPU。',
      ],
      LOG_LEVEL: [
        'Level of the log',
        '日志级别',
        '记录的最低级别：`trace debug info warn error fatal`，或 `silent`。',
      ],
      METRICS_HOST: [
        'Address of metrics',
        '指标地址',
        '`METRICS_PORT` 监听的地址。指标会显示服务的使用情况，请勿公开。',
      ],
    },
  },
];

/** By variable. */
export const SETTING_TEXTS: Readonly<Record<string, SettingTexts>> = Object.assign(
  {},
  ...SETTING_GROUPS.map(({ settings }) => settings),
);
