/**
 * Chinese translations of the sentences of errors that reach the console, by their templates. What stands in braces is the same in both:
 * `{field}`, `{kind}`, `{role}`, `{value}` and `{values}` are words of the console where it has them; `{part}` and
 * `{noun}` are themselves translated from here.
 */
export const ZH_ERRORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'This lasts longer than your session: sign in once more, and do it within two hours.':
      '此操作的效力超出本次会话：请再次登录，并在两小时内完成。',
    'The event or the webhook is gone, or the webhook is disabled; enable it first.':
      '事件或 webhook 已不存在，或 webhook 已停用；请先启用它。',
    'Give the password again: the one that is stored is for the other host or user.':
      '请重新填写密码：已保存的密码属于之前的主机或用户。',
    'A password needs a user.': '填写了密码，就需要用户名。',
    'The host must be a name such as mail.example.com, or an IP address.':
      '主机必须是 mail.example.com 这样的名称，或 IP 地址。',
    'to must be one e-mail address.': '请填写一个电子邮件地址。',
    'There is no mail server yet.': '还没有邮件服务器。',
    'There is no setting {variable}.': '没有设置 {variable}。',
    '{variable} is fixed by the environment of the service; change it there.':
      '{variable} 由服务的环境固定；请在那里修改。',
    'This is no value for the setting: {reason}': '这不是该设置的有效值：{reason}',
    // What a request lacks or has too much of.
    'You have {most} saved filters of this list; remove one first.':
      '您已为此列表保存了 {most} 个筛选条件；请先移除一个。',
    '{field} is required.': '缺少“{field}”。',
    '{field} is required; give the key of the record.': '缺少“{field}”；请填写记录的键。',
    '{field} is required; give the id of the user.': '缺少“{field}”；请填写用户的 id。',
    '{field} is required; give a phone number.': '缺少“{field}”；请填写电话号码。',
    '{field} is given twice; give it once.': '“{field}”填写了两次；只填一次即可。',
    '{field} must be true or false.': '“{field}”只能是 true 或 false。',
    '{field} must be a text.': '“{field}”必须是文本。',
    '{field} must be one of {values}.': '“{field}”只能是以下之一：{values}。',
    '{field} must have at most {most} characters.': '“{field}”最多 {most} 个字符。',
    '{field} must be an instant such as 2026-11-22T10:30:00Z.':
      '“{field}”必须是时间，例如 2026-11-22T10:30:00Z。',
    '{field} must be a {part}.': '“{field}”必须是{part}。',
    '{field} must be a {part} from {least} to {most}.':
      '“{field}”必须是 {least} 到 {most} 之间的{part}。',
    number: '数字',
    'whole number': '整数',
    'revision must be a whole number from 1.': '修订必须是不小于 1 的整数。',
    '{field} must be a list.': '“{field}”必须是列表。',
    '{field} must have {least} to {most} items.': '“{field}”必须有 {least} 到 {most} 项。',
    '{field} must be a JSON object.': '“{field}”必须是 JSON 对象。',
    '{name} is no {noun} here; {part}.': '这里没有{noun} {name}；{part}。',
    parameter: '参数',
    member: '成员',
    'there is none': '不需要任何内容',
    'there are {known}': '可用的有 {known}',
    '{field} must have no zero character.': '“{field}”中不能有零字符。',
    '{field} is longer than {most} characters; give a shorter key.':
      '“{field}”超过 {most} 个字符；请用更短的键。',
    '{field} has a control character; give a key of printable characters.':
      '“{field}”含有控制字符；键只能由可打印字符组成。',
    '{field} is not well-formed text; give a key of printable characters.':
      '“{field}”不是合法文本；键只能由可打印字符组成。',
    '{field} is too long for a phone number; write it with its country code, like +12125550100.':
      '“{field}”作为电话号码过长；请带国家代码填写，例如 +12125550100。',
    '{field} is not a phone number; write it with its country code, like +12125550100.':
      '“{field}”不是电话号码；请带国家代码填写，例如 +12125550100。',
    '{field} must have {least} to {most} digits, not {digits}; write it with its country code, like +12125550100.':
      '“{field}”有 {digits} 位数字，应为 {least} 到 {most} 位；请带国家代码填写，例如 +12125550100。',
    '{field} is not a possible phone number; write it with its country code, like +12125550100.':
      '“{field}”不是有效的电话号码；请带国家代码填写，例如 +12125550100。',
    'name must be one line of at most {most} characters.': '名称必须是一行，最多 {most} 个字符。',
    'email must be one e-mail address. {part}': '邮箱必须是一个邮箱地址。{part}',
    'That is not an e-mail address. {part}': '这不是邮箱地址。{part}',
    'It has more than one address; give one.': '其中有多个地址；请只填一个。',
    'It is more than one address; give one.': '其中有多个地址；请只填一个。',
    'It has a line break or another control character; write one plain address, like grace@example.com.':
      '其中有换行或其他控制字符；请填写一个普通地址，例如 grace@example.com。',
    'It has no @; write one plain address, like grace@example.com.':
      '其中没有 @；请填写一个普通地址，例如 grace@example.com。',
    'What stands before the @ is not the plain local part of an address; write one plain address, like grace@example.com.':
      '@ 之前的部分不合要求；请填写一个普通地址，例如 grace@example.com。',
    'Before the @ stands one of ! % | `, which mail servers read as a route or a command; write one plain address, like grace@example.com.':
      '@ 之前有 ! % | ` 之一，邮件服务器会把它当作路由或命令；请填写一个普通地址，例如 grace@example.com。',
    'What stands after the @ is not a domain name; write one plain address, like grace@example.com.':
      '@ 之后的部分不是域名；请填写一个普通地址，例如 grace@example.com。',
    'It is longer than {most} characters; write one plain address, like grace@example.com.':
      '它超过 {most} 个字符；请填写一个普通地址，例如 grace@example.com。',
    'The note must be one line of at most {most} characters.':
      '备注必须是一行，最多 {most} 个字符。',
    'The label must be one line of at most {most} characters.':
      '标签必须是一行，最多 {most} 个字符。',
    'The reason must have 1 to {most} characters.': '原因必须有 1 到 {most} 个字符。',
    'until must be later than now.': '结束时间必须晚于现在。',
    'The expiry must lie in the future.': '到期时间必须晚于现在。',
    'types must be at most {most} such as *, article.* or mail.bounced.':
      '通知内容最多 {most} 项，例如 *、article.* 或 mail.bounced。',
    'url must be an http or https URL of at most {most} characters, without blanks, a user and a fragment.':
      '网址必须是 http 或 https 网址，最多 {most} 个字符，不带空白、用户名和片段。',
    'A user token needs the user it is bound to.': '用户令牌需要所绑定的用户。',
    'A token needs at least one scope of {scopes}.': '令牌至少需要以下权限范围之一：{scopes}。',
    'The text is a token already, {part}: {id}.': '该文本已经是令牌，{part}：{id}。',
    'on other terms': '但条件不同',
    'and was revoked': '并且已被吊销',
    'Last-Event-ID must be the id of an event of this stream.':
      'Last-Event-ID 必须是此事件流中事件的 id。',
    'cursor is not one of this list in this order; begin without one.':
      '这个翻页位置不属于此列表的这种排序；请从第一页开始。',
    'Give either keys or categoryGuid.': '请填写 keys 或 categoryGuid 之一。',
    'keys must have at most {most} keys.': 'keys 最多 {most} 个键。',
    'The body must be application/json.': '正文必须是 application/json。',
    'The body must have at most {most} bytes.': '正文最多 {most} 字节。',
    'The body must have at most {most} bytes here.': '这里的正文最多 {most} 字节。',
    'The body is not JSON.': '正文不是 JSON。',
    'The body is not a JSON object.': '正文不是 JSON 对象。',
    'The body is not a form.': '正文不是表单。',

    // What is not there.
    'There is no {kind} {key}.': '没有{kind} {key}。',
    'There is no {kind} with the key {key}.': '没有键为 {key} 的{kind}。',
    'There is no token with the id {id}.': '没有 id 为 {id} 的令牌。',
    'There is no mail {id}; see ws01 mail list.': '没有邮件 {id}。',
    'There is no text message {id}; see ws01 sms list.': '没有短信 {id}。',
    'The article {key} has no revision {revision}.': '文章 {key} 没有修订 {revision}。',
    'There is no such record: no key has a zero character.': '没有这样的记录：键中不会有零字符。',
    'There is no {method} {path}; see {document}.': '没有 {method} {path}；参见 {document}。',
    'Nothing is stored about {id}.': '没有存储任何有关 {id} 的数据。',
    'Nothing can be read without a credential here.': '这里没有凭据就不能读取任何内容。',
    'This page does not exist.': '此页面不存在。',
    'The image is damaged and cannot be shown.': '图片已损坏，无法显示。',
    'Showing it takes more than this service allows.': '显示它所需的资源超出本服务的限制。',

    // What is not allowed, or not in this state.
    'The record was changed since the version of If-Match; read it again.':
      '该记录在您读取之后已被修改；请重新读取。',
    'The article {key} is kept from the public by its author.': '文章 {key} 由其作者设为不公开。',
    'Your role does not allow this.': '您的角色无权执行此操作。',
    'Your role does not allow the filter {field}.': '您的角色无权使用筛选条件“{field}”。',
    'Your role does not allow the order {field}.': '您的角色无权使用排序“{field}”。',
    '{method} {route} needs {part}; this is a {role}.':
      '{method} {route} 需要{part}；当前为{role}。',
    'the scope "read"': '权限范围 read',
    'a moderator, an owner or a token with the scope "manage"':
      '版主、所有者或权限范围为 manage 的令牌',
    'an owner or a token with the scope "read"': '所有者或权限范围为 read 的令牌',
    'an owner or a token with the scope "manage"': '所有者或权限范围为 manage 的令牌',
    'Signed out.': '已退出登录。',
    'A moderator blocked the user that the call acts for.': '此操作所代表的用户已被版主封禁。',
    'This is the only owner; make another one first.': '这是唯一的所有者；请先另设一位。',
    'A legal hold keeps the data of {id} {part}, set by {name} on {at}: {reason} End it first.':
      '{id} 的数据处于法律保全之中，{part}；由 {name} 于 {at} 设置：{reason} 请先结束保全。',
    'until somebody ends it': '直到有人解除',
    'until {at}': '至 {at} 为止',
    'This passkey is in use already.': '此通行密钥已被使用。',
    'There is an admin {name} already.': '已有名为 {name} 的管理员。',
    'The name must have 1 to {most} letters, digits, blanks and . _ @ + -, beginning with a letter or a digit.':
      '名称须由 1 到 {most} 个字母、数字、空格以及 . _ @ + - 组成，并以字母或数字开头。',
    'The link {code} leads there for the same user and deadline; use it.':
      '短链接 {code} 已为同一用户以相同期限指向该地址；请使用它。',
    'The {kind} {key} has not been removed; remove it first.': '{kind} {key} 尚未移除；请先移除。',
    'The article {key} is in the trash; restore it first.': '文章 {key} 在回收站中；请先恢复。',
    'The token {id} does not work any more; make a new one.': '令牌 {id} 已失效；请创建新的令牌。',
    'The token {id} was replaced by {successor}; rotate that one, or first change when this one ends.':
      '令牌 {id} 已由 {successor} 替换；请轮换后者，或先修改此令牌的到期时间。',
    'Nothing is sent to {address}: it is suppressed. Take it off the list of suppressed addresses first.':
      '不会向 {address} 发送任何内容：该地址已停发。请先将其移出停发名单。',
    '{id} has been sent.': '{id} 已发送。',
    '{id} is just being sent; look again in a while.': '{id} 正在发送；请稍后再看。',
    '{id} is {value}; only messages that wait can be cancelled.':
      '{id} 的状态为“{value}”；只有等待中的短信可以取消。',
    '{id} is {value}; it is not sent twice.': '{id} 的状态为“{value}”；不会重复发送。',
    '{id} is {value}, not cancelled.': '{id} 的状态为“{value}”，并未取消。',
    'The code of {id} was used, replaced or has expired; the user asks for another.':
      '{id} 的验证码已使用、被替换或已过期；请用户重新获取。',

    // Passwords and attempts.
    'The password must have {least} to {most} characters; a sentence is a good one.':
      '密码必须有 {least} 到 {most} 个字符；用一句话作密码是个好办法。',
    'The password is too easy to guess: it repeats itself or your name.':
      '密码太容易被猜到：它只是重复，或含有您的名称。',
    'Too many people sign in at this moment; try again.': '此刻登录的人太多；请重试。',
    'Too many unusable credentials came from this network; wait, and send a valid one.':
      '来自此网络的无效凭据过多；请稍候，再用有效的凭据。',

    // What the service cannot do now.
    'Another link leads there for the same user and deadline; use it.':
      '同一用户和截止时间已有另一个链接指向该地址；请使用那个链接。',
    'You have {own} live streams open, and may have no more; close one, such as a window of the console.':
      '你已打开 {own} 个实时流，不能再多；请先关闭一个，例如控制台的一个窗口。',
    '{most} streams are open; try again later.': '已打开 {most} 个事件流；请稍后再试。',
    'With DATABASE_URL or FILES_URL, backups need BACKUP_TO; set it.':
      '使用 DATABASE_URL 或 FILES_URL 时，备份需要设置 BACKUP_TO；请设置。',
    'A backup is being made; wait for its end.': '正在备份；请等待完成。',
    'Other backups are being downloaded; wait for the end of one.':
      '正在下载其他备份；请等其中一个完成。',
    'Its process was killed.': '其进程被终止。',
    'A backup is being restored; wait for its end.': '正在恢复一个备份；请等待完成。',
    'A backup is being restored; try again in a moment.': '正在恢复一个备份；请稍后再试。',
    'name must be that of the backup.': 'name 必须是该备份的名称。',
    'On PostgreSQL other processes and nodes use the same database, and all of them must be stopped first.':
      '使用 PostgreSQL 时，其他进程和节点也使用同一个数据库，必须先将它们全部停止。',
    'The service manager has opened the socket of this service, which cannot open it again.':
      '此服务的套接字由服务管理器打开，服务无法自行重新打开它。',
    'This process does not restore backups; stop it, and give the commands below.':
      '此进程不执行恢复；请停止它，然后执行下面的命令。',
    'A backup is being verified; wait for its end.': '正在验证一个备份；请等待完成。',
    'It was never whole, so there is nothing to verify.': '它从未完整，因此没有可验证的内容。',
    'Images come and go faster than they can be copied; try again later.':
      '图片的变化快于复制的速度；请稍后再试。',
    'No free code was found; try again.': '未找到可用的短码；请重试。',
    'The article is being written by others; try again.': '其他人正在修改此文章；请重试。',
    'Text messages are switched off now; nothing was done.': '短信功能现已关闭；未执行任何操作。',
    'Nothing can be stored or read now and nothing was done; try again later.':
      '目前无法存取数据，未执行任何操作；请稍后再试。',
    'The server is busy and did nothing; try again.': '服务器繁忙，未执行任何操作；请重试。',
    'Files cannot be stored or read now and nothing was done; try again later.':
      '目前无法存取文件，未执行任何操作；请稍后再试。',
    'The file storage is busy and nothing was done; try again.':
      '文件存储繁忙，未执行任何操作；请重试。',
    'The server cannot work on images.': '服务器无法处理图片。',
    'Too many images are being worked on and nothing was done; try again.':
      '正在处理的图片过多，未执行任何操作；请重试。',
    'No mail can be taken now and nothing was done; try again later.':
      '目前无法接收邮件，未执行任何操作；请稍后再试。',
    'No mail can be taken now and nothing was done; try again.':
      '目前无法接收邮件，未执行任何操作；请重试。',
    'No text message can be sent now and nothing was done; try again later.':
      '目前无法发送短信，未执行任何操作；请稍后再试。',
    'No text message can be sent now and nothing was done; try again.':
      '目前无法发送短信，未执行任何操作；请重试。',
    'It is not known whether this was done; send the same again, which does it once and no more.':
      '不确定是否已执行；请原样重新提交，只会执行一次。',
    'The server failed; the request id finds the reason in its log.':
      '服务器出错；可用请求编号在日志中查到原因。',
    '{field} {reason}.': '{field}的值无效：{reason}。',
    'The key {key} is in use.': '键 {key} 已被使用。',
    'deadline has passed; give a time to come.': '截止时间已过；请填写将来的时间。',
    'file is required; send a picture as the body.': '缺少文件；请以正文发送一张图片。',
    'The body must be the file itself; this is a form.': '正文必须是文件本身；收到的是表单。',
    'caption or content is required; give the article at least one of them.':
      '标题和内容不能都为空；请至少填写一项。',
    'title is required; give the advert a headline.': '标题不能为空；请给广告写一个标题。',
    'imgGuid is required for an image advert; give the key of its image.':
      '图片广告必须有图片；请选择图片。',
  }),
);
