import type { PageLanguage, PageWord } from '@ws01/asmx';

const PAGES: Readonly<Record<PageWord, string>> = {
  'Skip to content': '跳到正文',
  Documents: '文档',
  Discovery: '服务发现（DISCO）',
  Operations: '操作',
  Address: '地址',
  Namespace: '命名空间',
  Bindings: '调用方式',
  address: '地址',
  namespace: '命名空间',
  Samples: '示例',
  'Show sample values instead of placeholders': '用示例值代替占位符',
  'From a program': '在程序中调用',
  'The call over {binding} from a command line.': '在命令行中通过 {binding} 调用。',
  Command: '命令',
  Code: '代码',
  Request: '请求',
  Response: '响应',
  Result: '结果',
  Example: '示例',
  Errors: '错误',
  required: '必填',
  secret: '机密',
  credential: '凭据',
  'At most {count} characters.': '最多 {count} 个字符。',
  'This one takes a file; {curl} sends it as {type}.':
    '此操作需要一个文件；{curl} 以 {type} 发送。',
  'Fill in sample values': '填入示例值',
  Clear: '清空',
  Answer: '应答',
  'Result, as JSON': '结果（JSON）',
  'Response headers': '响应头',
  'Names are case-sensitive. Did you mean {name}?': '名称区分大小写。您要找的是 {name} 吗？',
  Copy: '复制',
  Copied: '已复制',
  Selected: '已选中',
  'Calling…': '正在调用…',
  '{status} in {ms} ms': '{status}，用时 {ms} 毫秒',
  '{said}, but the answer is no: {reason}': '{said}，但结果是拒绝：{reason}',
  'No answer: {reason}': '没有应答：{reason}',
};

/** The links at the head of the pages, and the texts of the contract. */
const SERVICE: Readonly<Record<string, string>> = {
  'HTTP API': 'HTTP API',
  Console: '控制台',
  'Articles, adverts, images, users, phone verification, e-mail, short links, counts and reviews.':
    '文章、广告、图片、用户、手机验证、电子邮件、短链接、计数和评价。',
  'Creates an article, or replaces the whole article with this key. Parameters that are not given become empty; only the pin is kept.':
    '创建文章，或整篇替换此键的文章。未给出的参数变为空；只保留置顶。',
  'Credential with the scope "articles".': '具有“articles”权限的凭据。',
  'Key of the article.': '文章的键。',
  'Headline; caption or content is required.': '标题；标题和正文至少填一项。',
  'Text of the article; caption or content is required.': '文章正文；标题和正文至少填一项。',
  'Category of the article; empty for none.': '文章的分类；留空表示没有。',
  'Phone number to show, as it should be read.': '要显示的电话号码，按希望的写法填写。',
  'Pinned to the top until then; not given for not pinned.': '置顶至此时；不填则不置顶。',
  'The owner of the article.': '文章的所有者。',
  'Key of the image that is its icon; need not exist yet.': '作为图标的图片的键；可以尚不存在。',
  'Any number; 0 published, 1 draft, 2 pending, 3 hidden.':
    '任意数字；0 已发布，1 草稿，2 待审核，3 隐藏。',
  'Where the article came from.': '文章的来源。',
  'The key of the article.': '文章的键。',
  'There is no key, or neither caption nor content.': '没有键，或标题和正文都没有。',
  'A text is too long or of several lines where one is allowed; a date or number cannot be read.':
    '文本过长，或在只允许一行处有多行；日期或数字无法识别。',
  'It is another user’s article, or a moderator removed it.':
    '这是其他用户的文章，或已被管理人员移除。',
  'The key is in use with another owner.': '此键已被其他所有者使用。',
  'A user token has created its articles for the day.': '用户令牌当天的文章数已用完。',
  'Publishes an advert. Repeating the call changes nothing; without a key the server creates one.':
    '发布广告。重复调用不会改变任何内容；没有键时由服务器生成。',
  'Credential with the scope "adverts".': '具有“adverts”权限的凭据。',
  'Key of the advert; empty lets the server make one.': '广告的键；留空则由服务器生成。',
  'The publisher.': '发布者。',
  'Headline.': '标题。',
  'Text of the advert.': '广告正文。',
  'Text of the link.': '链接文字。',
  'Target of the link, http or https; without a scheme it gets http://; may be empty.':
    '链接的目标，http 或 https；没有协议时补上 http://；可为空。',
  'Shown as current until then; empty for always.': '有效显示至此时；留空表示长期。',
  'Category where it is shown; empty for none.': '显示所在的分类；留空表示没有。',
  'Whether it is an image advert; then imgGuid is required.':
    '是否为图片广告；是则必须填 imgGuid。',
  'Key of its image; need not exist yet.': '其图片的键；可以尚不存在。',
  'The key of the advert.': '广告的键。',
  'There is no title, or an image advert has no imgGuid.': '没有标题，或图片广告没有 imgGuid。',
  'A value cannot be read or is too long; linkUrl is no http or https address.':
    '值无法识别或过长；linkUrl 不是 http 或 https 地址。',
  'A user token names another user.': '用户令牌指明了其他用户。',
  'The key is in use with another publisher or other content.':
    '此键已被其他发布者或其他内容使用。',
  'A user token has created its adverts for the day.': '用户令牌当天的广告数已用完。',
  'Changes the name and address of a user: empty fields are cleared, absent fields are kept.':
    '修改用户的姓名和地址：空字段被清除，未给出的字段保持不变。',
  'Credential with the scope "users".': '具有“users”权限的凭据。',
  'The user.': '用户。',
  'Absent keeps, empty clears.': '未给出则保持不变，为空则清除。',
  'The id of the user.': '用户的编号。',
  'There is no userId.': '没有 userId。',
  'A text is too long or of several lines.': '文本过长或有多行。',
  'There is no such user.': '没有这个用户。',
  'Creates an article, or changes the given fields and keeps the others.':
    '创建文章，或修改给出的字段并保留其他字段。',
  'Key of the article, the same one as the guid of InsertArticle.':
    '文章的键，与 InsertArticle 的 guid 相同。',
  'Headline; absent keeps the present one.': '标题；未给出则保持不变。',
  'Text of the article; absent keeps the present one.': '文章正文；未给出则保持不变。',
  'Category of the article; absent keeps the present one.': '文章的分类；未给出则保持不变。',
  'Phone number to show; absent keeps the present one.': '要显示的电话号码；未给出则保持不变。',
  'Address of the person who writes; empty for the address of the caller.':
    '作者的 IP 地址；留空则用调用方的地址。',
  'There is no key; or the article is new and has neither caption nor content.':
    '没有键；或新文章的标题和正文都没有。',
  'A text is too long or of several lines where one is allowed.':
    '文本过长，或在只允许一行处有多行。',
  'Stores a picture and serves it. Repeating the call changes nothing.':
    '保存图片并提供访问。重复调用不会改变任何内容。',
  'Credential with the scope "images".': '具有“images”权限的凭据。',
  'Key of the image.': '图片的键。',
  'The file: JPEG, PNG, GIF, WebP, AVIF or HEIC.': '文件：JPEG、PNG、GIF、WebP、AVIF 或 HEIC。',
  'Key of the record the image belongs to; may be empty.': '图片所属记录的键；可为空。',
  'Free text.': '任意文本。',
  'Whether it is the icon of that record.': '是否为该记录的图标。',
  'Address of the person who uploads; empty for the address of the caller.':
    '上传者的 IP 地址；留空则用调用方的地址。',
  'true; or false for a file that is not a supported picture: then the header X-Error-Code says why.':
    'true；文件不是支持的图片时为 false，此时响应头 X-Error-Code 说明原因。',
  'There is no key or no file.': '没有键或没有文件。',
  'The text is no base64, or a key cannot be read.': '文本不是 base64，或键无法识别。',
  'The file is over MAX_IMAGE_BYTES.': '文件超过 MAX_IMAGE_BYTES。',
  'The key is in use with another file or owner.': '此键已被其他文件或所有者使用。',
  'The record that it belongs to is another user’s.': '所属记录是其他用户的。',
  'A user token has uploaded its images for the day.': '用户令牌当天的图片数已用完。',
  'Lists images, as JSON. Needs no credential.': '以 JSON 列出图片。不需要凭据。',
  'Text to find in category, key and linked caption; empty for all.':
    '在分类、键和所属记录的标题中查找的文本；留空表示全部。',
  'Only images of this record; empty for all.': '只列出此记录的图片；留空表示全部。',
  'Only icons.': '只列出图标。',
  'Page, the first is 1.': '页码，从 1 开始。',
  'Images a page, 1 to 100; 20 when empty.': '每页图片数，1 至 100；留空为 20。',
  'Only images of this category; empty for all.': '只列出此分类的图片；留空表示全部。',
  'created, created asc, size or category.': 'created、created asc、size 或 category。',
  'Address of the person who searches.': '查询者的 IP 地址。',
  'A page of images with their URLs, and the total number.': '一页图片及其网址，以及总数。',
  'A number, an order or a text cannot be read.': '数字、排序或文本无法识别。',
  'Too many queries came from this address.': '来自此地址的查询过多。',
  'Sends one mail to one recipient, for the registered user of the credential. It is retried for 24 hours; queryEmailsent shows its state.':
    '以凭据的注册用户的名义，向一位收件人发送一封邮件。24 小时内会重试；queryEmailsent 可查看状态。',
  'Credential with the scope "mail".': '具有“mail”权限的凭据。',
  'Name of the recipient.': '收件人姓名。',
  'Address of the one recipient.': '唯一收件人的邮箱地址。',
  'Subject of the mail.': '邮件主题。',
  'Text or HTML.': '纯文本或 HTML。',
  'The id of the mail.': '邮件的编号。',
  'There is no address, or neither subject nor body.': '没有地址，或主题和正文都没有。',
  'The address cannot be read, or a text is too long.': '地址无法识别，或文本过长。',
  'The sender is not registered: ws01 user add.': '发件人未注册：用 ws01 user add 注册。',
  'There is more than one recipient, or the same text went to too many.':
    '收件人多于一位，或相同内容已发给太多人。',
  'The sender’s or the recipient’s budget is used up.': '发件人或收件人的额度已用完。',
  'No mail can be taken now; nothing was done.': '现在无法接收邮件；未做任何操作。',
  'Pins an article to the top until an instant; without an instant, or with a past one, unpins it.':
    '将文章置顶至某一时刻；没有时刻或时刻已过则取消置顶。',
  'Pinned to the top until then; not given to unpin.': '置顶至此时；不填则取消置顶。',
  'There is no key.': '没有键。',
  'The date cannot be read.': '日期无法识别。',
  'There is no such article for this caller, or it is in the trash.':
    '此调用方没有这篇文章，或文章在回收站中。',
  'A moderator removed it.': '已被管理人员移除。',
  'Lists the adverts of one publisher, as JSON. Needs no credential.':
    '以 JSON 列出一位发布者的广告。不需要凭据。',
  'Text to find in title, detail and link text; empty for all.':
    '在标题、正文和链接文字中查找的文本；留空表示全部。',
  'Adverts a page, 1 to 100; 20 when 0.': '每页广告数，1 至 100；0 为 20。',
  'created, title, deadline or category.': 'created、title、deadline 或 category。',
  'asc or desc.': 'asc（升序）或 desc（降序）。',
  'A page of adverts: the items, the page index, and the total number.':
    '一页广告：条目、页码和总数。',
  'Checks a code. Each code allows five attempts.': '核对验证码。每个验证码可尝试五次。',
  'Credential with the scope "phone".': '具有“phone”权限的凭据。',
  'The code, six digits.': '验证码，六位数字。',
  'The phone number the code was made for.': '验证码对应的电话号码。',
  'Empty for the right code. Otherwise the reason, with status 200: CodeWrong, CodeExpired, CodeNotFound or TooManyAttempts.':
    '验证码正确时为空。否则是原因（状态仍为 200）：CodeWrong、CodeExpired、CodeNotFound 或 TooManyAttempts。',
  'There is no cellphone.': '没有 cellphone。',
  'A key or phone number cannot be read.': '键或电话号码无法识别。',
  'Creates a short link. The same URL of the same user gets the same link.':
    '创建短链接。同一用户的同一网址得到同一短链接。',
  'The user who shortens.': '创建短链接的用户。',
  'E-mail address of the user.': '用户的邮箱地址。',
  'The link works until then; not given for always.': '链接有效至此时；不填则长期有效。',
  'The address to shorten, http or https.': '要缩短的网址，http 或 https。',
  'The short link.': '短链接。',
  'There is no _orgUrl.': '没有 _orgUrl。',
  'It is no http or https address, or a deadline has passed.':
    '不是 http 或 https 地址，或有效期已过。',
  'The URL contains a user name, is a short link itself, or is private and that is not allowed.':
    '网址含有用户名，本身是短链接，或是不允许的内网地址。',
  'Too many new links came from this address.': '来自此地址的新链接过多。',
  'Counts the records that a user has created.': '统计一个用户创建的记录数。',
  'Credential with the scope "counts".': '具有“counts”权限的凭据。',
  'The last N times 24 hours; 0 or empty for since midnight.':
    '最近 N 个 24 小时；0 或留空表示自零点起。',
  'all, article, advert, image or review (or 0 to 4); empty for all.':
    'all、article、advert、image 或 review（或 0 至 4）；留空表示全部。',
  'The number.': '数量。',
  'lastFewDays is no number from 0 to 3650, or level is not known.':
    'lastFewDays 不是 0 至 3650 的数字，或 level 未知。',
  'Votes for or against a record, rates it, or remarks on it. Each voter has one review per record: a later call replaces it.':
    '对记录投赞成或反对票、评分或评论。每位评价者对每条记录只有一条评价：后一次调用取代前一次。',
  'Whatever is reviewed.': '被评价的对象。',
  'true or false; empty for no vote.': 'true 或 false；留空表示不投票。',
  'A rating from 0 to 5 (or what REVIEW_SCALE says), or a remark.':
    '0 至 5 的评分（或按 REVIEW_SCALE），或一段评论。',
  'Address of the reviewer; empty for the address of the caller.':
    '评价者的 IP 地址；留空则用调用方的地址。',
  'The reviewer; empty to go by the address.': '评价者；留空则按地址区分。',
  'The totals of all reviews, and this voter’s own review, as JSON.':
    '全部评价的汇总和该评价者自己的评价，JSON 格式。',
  'There is no id, or neither IsPositive nor Mark.': '没有编号，或 IsPositive 和 Mark 都没有。',
  'IsPositive is none of the words, or Mark is outside the scale.':
    'IsPositive 不是规定的词，或 Mark 超出范围。',
  'The record belongs to the voter, or REVIEWS_FROM refuses the caller.':
    '记录属于评价者本人，或 REVIEWS_FROM 拒绝此调用方。',
  'Too many reviews came from this address.': '来自此地址的评价过多。',
  'Changes the phone number of a user; an empty one removes it. A new number counts as not verified.':
    '修改用户的电话号码；留空则移除。新号码视为未验证。',
  'The new number; empty removes it.': '新号码；留空则移除。',
  'There is no userId, or cellPhone is absent.': '没有 userId，或未给出 cellPhone。',
  'It is not a possible phone number.': '不是可能的电话号码。',
  'Moves an article to the trash. InsertArticle with the same key restores it from the trash.':
    '将文章移到回收站。用相同的键调用 InsertArticle 可从回收站恢复。',
  'The owner of the article; empty is not compared.': '文章的所有者；留空则不比较。',
  'There is no such article for this caller.': '此调用方没有这篇文章。',
  'The user named is not the owner, or a moderator removed it.':
    '指明的用户不是所有者，或已被管理人员移除。',
  'Counts the records created from an IP address; an IPv6 address counts its /64.':
    '统计从一个 IP 地址创建的记录数；IPv6 地址按其 /64 统计。',
  'The address; an IPv6 address counts its /64.': 'IP 地址；IPv6 地址按其 /64 统计。',
  'Deletes an image and its file permanently.': '永久删除图片及其文件。',
  'Key of the image to delete.': '要删除的图片的键。',
  'Key of the record it belongs to; must match when given.': '所属记录的键；填写时必须相符。',
  'Address of the person who deletes.': '删除者的 IP 地址。',
  'The key of the image.': '图片的键。',
  'There is no such image for this caller, or it belongs to another record.':
    '此调用方没有这张图片，或图片属于其他记录。',
  'Moves an article to another category; an empty category removes it from its category. It deletes nothing.':
    '将文章移到另一分类；分类为空则移出其分类。不删除任何内容。',
  'The new category; empty for none.': '新的分类；留空表示没有。',
  'The category is no key.': '分类不是键。',
  'Lists the mails of the credential’s sender with their states, newest first, at most 200.':
    '列出凭据的发件人的邮件及其状态，最新在前，最多 200 封。',
  'Only mails to this address; empty for all.': '只列出发往此地址的邮件；留空表示全部。',
  'A list of mails as JSON.': '邮件列表，JSON 格式。',
  'The address cannot be read.': '地址无法识别。',
  'The sender is not registered.': '发件人未注册。',
  'Creates a six-digit code for a user and a phone number, and sends it as a text message. It is valid for 3 minutes; a new code replaces it.':
    '为用户和电话号码生成六位验证码，并以短信发送。3 分钟内有效；新的验证码取代旧的。',
  'The phone number to verify.': '要验证的电话号码。',
  'The id of the verification; without an SMS gateway, the code itself.':
    '验证的编号；没有短信网关时，为验证码本身。',
  'A user token names another user, or asks for a code where there is no SMS gateway.':
    '用户令牌指明了其他用户，或在没有短信网关时索取验证码。',
  'No text messages are sent to the country of the number.': '不向该号码所在的国家发送短信。',
  'The number’s budget is used up; Retry-After says for how long.':
    '该号码的额度已用完；Retry-After 说明需等多久。',
  'No text message can be sent now; nothing was done.': '现在无法发送短信；未做任何操作。',
};

/** The help pages in Chinese. */
export const HELP_IN_CHINESE: PageLanguage = { name: '中文', texts: { ...PAGES, ...SERVICE } };
