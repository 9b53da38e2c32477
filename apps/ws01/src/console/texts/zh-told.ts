/**
 * Chinese translations of the sentences that callers of operations get, by the English templates: a call that failed keeps its own,
 * without the values that were sent. `{field}` is a parameter.
 */
export const ZH_TOLD: Readonly<Record<string, string>> = {
  // Of values that are not what their type asks for.
  'it must be there.': '不能缺少。',
  '"…" is not a whole number; write decimal digits with an optional sign, like 20.':
    '“…”不是整数；请只写数字，可带正负号，例如 20。',
  '"…" is out of range; write a whole number from {least} to {most}.':
    '“…”超出范围；请填写 {least} 到 {most} 之间的整数。',
  '"…" is not a boolean; write true, false, 1 or 0.': '“…”不是布尔值；请填写 true、false、1 或 0。',
  '"…" is not a boolean; write true, false, 1, 0, yes, no, on or off.':
    '“…”不是布尔值；请填写 true、false、1、0、yes、no、on 或 off。',
  '"…" is not a date and time: {problem}; write it like 2024-02-29T13:05:06Z or 2024-02-29.':
    '“…”不是日期和时间；请按 2024-02-29T13:05:06Z 或 2024-02-29 填写。',
  'The text is longer than {most} characters; shorten it.': '文本超过 {most} 个字符；请缩短。',
  'The text has half of a surrogate pair; write whole characters.':
    '文本中有不完整的字符；请写完整的字符。',
  'The text has one line; leave out line breaks and tabs.': '文本只能有一行；请去掉换行和制表符。',
  'Character {place} of the text is {code}, which XML forbids; leave it out.':
    '文本的第 {place} 个字符是 XML 不允许的 {code}；请去掉。',
  'it is not base64. {problem}': '不是 base64。',
  // Of records and whose they are.
  "The credential is bound to one user and {field} names another; send that user's id or leave it empty.":
    '凭据只属于一位用户，而 {field} 写的是另一位；请填写该用户的 id，或留空。',
  'The key in {field} is in use; send another key for a new {noun}.':
    '{field} 中的键已被使用；请为新的{noun}换一个键。',
  'The key in {field} is in use with other content; send another key, or none, for a new advert.':
    '{field} 中的键已用于其他内容；新广告请换一个键，或不填。',
  'The {noun} belongs to another user than the call acts for.':
    '此{noun}属于另一位用户，不属于调用所代表的用户。',
  'There is no {noun} with the key in {field}.': '没有以 {field} 中的值为键的{noun}。',
  'A moderator removed the {noun}; only a moderator or an admin restores it.':
    '此{noun}已被审核员下架；只有审核员或管理员可以恢复。',
  record: '记录',
  article: '文章',
  advert: '广告',
  image: '图片',
  'The {noun} is being written by others; try again.': '此{noun}正被他人写入；请重试。',
  'The advert is being published by another call; try again.': '此广告正由另一个调用发布；请重试。',
  'Storing the image took too long; try again.': '保存图片用时过长；请重试。',
  'No free code was found; try again.': '没有找到空闲的短码；请重试。',
  // Of credentials.
  '{name} needs a credential: send the text of a token with the scope "{scope}" in {field}.':
    '{name} 需要凭据：请在 {field} 中发送具有权限范围“{scope}”的令牌。',
  'A moderator blocked the user that the call acts for.': '调用所代表的用户已被审核员封禁。',
  'The credential stands for no registered sender; have its user registered, or use a credential of one who is.':
    '凭据不代表已注册的发件人；请先让该用户注册，或使用已注册用户的凭据。',
  'No SMS gateway is configured, so the code would be told to the caller; only service tokens may ask for it.':
    '没有配置短信网关，验证码将告知调用方；因此只有服务令牌可以请求。',
  'Reviews are taken from back ends of this site only; the operator names them in TRUSTED_CALLERS.':
    '评价只接受来自本站后端的调用；由管理人员在 TRUSTED_CALLERS 中指定。',
  // Of what is missing or not possible.
  'FileImg is required; send the file as base64.': '缺少 FileImg；请以 base64 发送文件。',
  'FileImg holds no bytes; send the file as base64.': 'FileImg 中没有内容；请以 base64 发送文件。',
  'caption or content is required; give the article at least one of them.':
    '缺少 caption 或 content；文章至少需要其一。',
  'title is required; give the advert a headline.': '缺少 title；广告需要标题。',
  'imgGuid is required for an image advert; give the key of its image.':
    '图片广告缺少 imgGuid；请填写图片的键。',
  'cellPhone is required; send it empty to remove the number.':
    '缺少 cellPhone；要移除号码，请发送空值。',
  'There is no user with the id in userId.': '没有 id 为 userId 中的值的用户。',
  'lastFewDays is {days}; give a whole number of days from 0 to {most}.':
    'lastFewDays 不在范围内；请填写 0 到 {most} 之间的整数天数。',
  'level is none of the known ones; give {known}.': 'level 不是已知的值；请填写 {known}。',
  'id is a record of the reviewer; only others review it.':
    'id 是评价者自己的记录；只能由他人评价。',
  'IsPositive is no vote; give true or false, or leave it empty.':
    'IsPositive 不是投票；请填写 true 或 false，或留空。',
  'IsPositive or Mark is required; give a vote, a rating or a remark.':
    '缺少 IsPositive 或 Mark；请填写投票、评分或评语。',
  'Mark is a number outside the scale; give one from 0 to {most} (REVIEW_SCALE), or a remark in words.':
    'Mark 超出评分范围；请填写 0 到 {most}（REVIEW_SCALE），或写评语。',
  // Of addresses and mails.
  '{field} is required; give an http or https URL.': '缺少 {field}；请填写 http 或 https 网址。',
  '{field} is {digits} bytes long as it goes out, percent-encoded; give a URL of at most {most}.':
    '{field} 编码后长 {digits} 字节；网址最多 {most} 字节。',
  '{field} is not an http or https URL of at most {most} characters; write it like https://example.com/page.':
    '{field} 不是 http 或 https 网址，或超过 {most} 个字符；请按 https://example.com/page 填写。',
  '{field} has a user name or password; leave it out.': '{field} 中有用户名或密码；请去掉。',
  '{field} is a short link of this service; give the address it should lead to.':
    '{field} 是本服务的短链接；请填写它应指向的网址。',
  '_deadline has passed; give a time to come, or leave it out for a link without an end.':
    '_deadline 已过；请填写以后的时间，或留空表示不过期。',
  '{field} is not an e-mail address. {part}': '{field} 不是邮箱地址。{part}',
  'receiverEmail is required; give the address of the one recipient.':
    '缺少 receiverEmail；请填写唯一收件人的地址。',
  'receiverEmail has more than one address; a mail has one recipient.':
    'receiverEmail 中有多个地址；一封邮件只有一个收件人。',
  'A mail needs a subject or a body; give at least one of them.':
    '邮件需要主题或正文；请至少填写其一。',
  'The same text has gone to {count} recipients in {window} seconds; mass mail is not allowed.':
    '同一内容在 {window} 秒内已发给 {count} 个收件人；不允许群发邮件。',
  'cellphone is written without its country code; the operator allows {known}.':
    'cellphone 没有国家代码；允许的国家为 {known}。',
  'cellphone is in {country}, where no messages are sent to; the operator allows {known}.':
    'cellphone 属于 {country}，不向该国发送短信；允许的国家为 {known}。',
  'Text messages are switched off now; nothing was done.': '短信已关闭；未执行任何操作。',
};
