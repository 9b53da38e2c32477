/**
 * The title and the groups of the HTTP API, and the summaries of operations that the console has no
 * forms for.
 */
const DOCUMENT: Readonly<Record<string, string>> = {
  'WS01: HTTP API': 'WS01：HTTP API',
  'To see and look after what the 20 operations store. Every error is a problem (RFC 9457). Send the text of a token with the scope `read` or `manage`, see docs/api.md.':
    '查看和管理 20 个操作所存储的内容。每个错误都是一个 problem（RFC 9457）。请发送具有 `read` 或 `manage` 权限的令牌，见 docs/api.md。',
  'Every operation also answers over SOAP 1.1 and SOAP 1.2: see the WSDL. Values that are absent count as not given.':
    '每个操作也可通过 SOAP 1.1 和 SOAP 1.2 调用：见 WSDL。未出现的值视为未给出。',
  search: '搜索',
  public: '公开内容',
  calls: '调用',
  'Records of every kind by key, user, request id, phone number, e-mail address, IP address, the address of a page, or words; of each kind the newest 20':
    '按键、用户、请求编号、电话号码、邮箱、IP 地址、页面地址或词语查找各类记录；每类最新 20 条',
  'What records are called: those that have a name which the caller may read':
    '记录的名称：调用方可读取名称的那些',
  'A page of the contents of an article, the present one first':
    '文章各版本内容的一页，当前版本在前',
  'A content of an article, and how it differs from the one before':
    '文章的一个版本，及其与前一版本的差异',
  'Give the article this content again, as its newest revision': '把文章恢复为此内容，作为最新版本',
  'Store a picture; with the key of one, it gets another file, and keeps what is not given':
    '存储图片；给出已有的键时替换其文件，未给出的保持不变',
  'The picture itself, also of one that is held or removed': '图片本身，包括被扣留或已移除的',
  'Which numbers the user proved to have, and when last; the newest 100':
    '用户证实拥有的号码及最近一次的时间；最新 100 个',
  'What is stored about the user: how many rows of which tables, and whether a legal hold keeps them':
    '存储的有关该用户的数据：各表的行数，以及是否受法律保全',
  'Everything that is stored about the user, as one JSON object: a member a table':
    '存储的有关该用户的全部数据，一个 JSON 对象，每表一个成员',
  'How many verification codes were asked for, answered and answered rightly, on each of the last 30 days':
    '最近 30 天每天请求、输入和正确输入的验证码数量',
  'How often it was followed, and where people came from, by day': '按天统计的打开次数和来源',
  'Report a published record to the moderators; one report of a record for each network':
    '向管理人员举报已发布的记录；每个网络对一条记录只能举报一次',
  'Where the person is signed in': '此人的登录位置',
  'The calls of all nodes in the last hour to 90 days: by time, by operation and binding, errors by code':
    '所有节点最近一小时至 90 天的调用：按时间、操作和调用方式，错误按代码',
  'A page of events; with `Accept: text/event-stream` all that come, as server-sent events':
    '事件的一页；使用 `Accept: text/event-stream` 时以服务器推送事件的形式给出后续全部事件',
  'Every setting, without secrets, as it holds now': '当前生效的全部设置，不含机密',
  'One setting, without secrets, as it holds now': '当前生效的一项设置，不含机密',
  'Change a setting that the environment does not fix, while the service runs; other nodes follow within 5 s':
    '在服务运行时更改未被环境固定的设置；其他节点在 5 秒内生效',
  'How many mails, text messages and calls of webhooks are in each state, and since when':
    '处于各状态的邮件、短信和 webhook 调用的数量，以及从何时起',
  'What a restore of it would do': '恢复它会做什么',
  'How far a restore of it is that the service carries out, or how it ended':
    '服务对它执行的恢复进行到哪一步，或结果如何',
  'Have the service replace its database by that of the backup, after it was verified and a backup made of what is there; meanwhile all is answered by 503':
    '让服务用该备份的数据库替换自己的数据库：先验证备份，并为现有数据做一次备份；期间一切请求均以 503 应答',
  'The backup as one tar archive, which `ws01 restore` takes; without its end when it broke off':
    '备份的 tar 归档，可用于 `ws01 restore`；中断时没有结尾',
  'The calls with this request id: of the last 5,000 of each process of this machine, and of those that failed':
    '具有此请求编号的调用：本机各进程最近 5,000 次中的，以及失败的',
  'The mail server and the sender of mails, without the password': '邮件服务器和发件人，不含密码',
  'Change `SMTP_URL` and `MAIL_FROM` in parts, while the service runs; what is not given stays':
    '在服务运行时分项更改 `SMTP_URL` 和 `MAIL_FROM`；未给出的保持不变',
  'Send a test mail past the queue, and tell what the mail server said':
    '绕过队列发送测试邮件，并返回邮件服务器的应答',
  'What the reviews of anything add up to; of what nobody reviewed, nothing':
    '某项内容的评价汇总；没有评价则为空',
  'The ratings of up to 100 keys, or of the newest articles of a category':
    '最多 100 个键的评分，或某分类最新文章的评分',
  'The newest articles as a feed: Atom': '最新文章的订阅源：Atom',
  'The newest articles as a feed: JSON Feed 1.1': '最新文章的订阅源：JSON Feed 1.1',
};

/** Kinds of records whose lists nobody signs in for. */
const PUBLIC_KINDS = ['articles', 'adverts', 'images'];

/**
 * What the pages about the API say in Chinese, by what the documents say in English: titles,
 * groups, summaries, and what the console says of members as well. It is loaded when somebody reads
 * them.
 */
export async function apiDocsInChinese(): Promise<Readonly<Record<string, string>>> {
  const [{ zh }, { ZH_API }, { ZH_HINTS }, { HELP_IN_CHINESE }] = await Promise.all([
    import('../console/texts/zh.ts'),
    import('../console/texts/zh-api.ts'),
    import('../console/texts/zh-hints.ts'),
    import('./help-zh.ts'),
  ]);
  const kinds = Object.entries(zh).flatMap(([name, text]) =>
    name.startsWith('kind.') ? [[name.slice(5), text] as const] : [],
  );
  const lists = (name: string, text: string) => [
    [`A page of ${name}`, `${text}列表`],
    [`One of the ${name}`, `一条${text}`],
  ];
  const named = new Map(kinds);
  // A summary is the beginning of what the help page says of an operation.
  const summaries = Object.entries(HELP_IN_CHINESE.texts).map(([english, chinese]) => [
    english.replace(/[.;:]\s.*/s, '.'),
    chinese.replace(/[。；：].*/s, '。'),
  ]);
  return {
    ...Object.fromEntries(summaries),
    ...HELP_IN_CHINESE.texts,
    ...ZH_HINTS,
    ...ZH_API,
    ...Object.fromEntries(kinds),
    ...Object.fromEntries(kinds.flatMap(([name, text]) => lists(name, text))),
    ...Object.fromEntries(
      PUBLIC_KINDS.flatMap((name) => lists(`public/${name}`, `公开的${named.get(name)}`)),
    ),
    ...DOCUMENT,
  };
}
