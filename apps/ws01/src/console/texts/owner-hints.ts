/**
 * What forms say to the owner of a site, where the API's own sentence is for programs: by that sentence, in English and in
 * Chinese. Nothing is said where both are empty: the label says it.
 */
export const OWNER_HINTS: Readonly<Record<string, readonly [en: string, zh: string]>> = {
  // Articles and adverts.
  'Make a new article': ['', ''],
  'Make a new advert': ['', ''],
  'Change what the article says; what is not given stays': ['', ''],
  'Change what the advert says; what is not given stays': ['', ''],
  'Text of the article; may be empty.': [
    'Text or HTML. The preview keeps the lines of a text without tags.',
    '纯文本或 HTML。没有标签的文本在预览中保留换行。',
  ],
  'Text of the advert; may be empty.': [
    'Text or HTML. The preview keeps the lines of a text without tags.',
    '纯文本或 HTML。没有标签的文本在预览中保留换行。',
  ],
  'Pinned to the top until then.': ['It stays at the top until then.', '在此之前置顶。'],
  'Key of the image that is its icon.': [
    'Upload a picture first, on the page of the article; then you choose it here.',
    '请先在文章页面上传图片，然后在这里选择。',
  ],
  'Key of its image.': [
    'Upload a picture first, on the page of the advert; then you choose it here.',
    '请先在广告页面上传图片，然后在这里选择。',
  ],
  'Its key; one is made where none is given.': [
    'Leave it empty, or write a short name that nothing else has, such as spring-sale.',
    '可留空，或写一个不重复的短名，例如 spring-sale。',
  ],
  'The user that it belongs to.': ['Whose it is.', '它属于谁。'],
  'Shown as current until then; null for always.': [
    'It counts as current until then. Empty: always.',
    '在此之前有效；留空表示一直有效。',
  ],
  // Short links.
  'Make a new link': ['', ''],
  'Let it lead elsewhere, or end at another time; its code stays': [
    'The short address stays the same.',
    '短链接地址不变。',
  ],
  'Where it leads.': ['', ''],
  'It works until then; null for always.': ['Empty: it never ends.', '留空表示永不过期。'],
  // People.
  'Register a user, who may then send mail; one who exists keeps what is not given': [
    'A registered person may send mail. Somebody who is there already is not made twice.',
    '已注册的用户可以发送邮件。已有的用户不会重复创建。',
  ],
  'Change a user; what is not given stays': ['', ''],
  'The id by which calls name the user.': [
    'A short name that your apps use for the person, such as ada. It cannot be changed later.',
    '您的应用用来称呼此人的短名，例如 ada。以后不能更改。',
  ],
  'Shown as the sender of mails; null clears.': [
    'Mails of this person come from this name.',
    '此人发送的邮件以此名称发出。',
  ],
  'Where answers to mails go; null clears.': [
    'Answers to mails of this person go there.',
    '对此人邮件的回复会发到这里。',
  ],
  'One that the user has not verified counts as not verified; null clears.': [
    'A number that you write here is not verified; the person verifies it with a code.',
    '您在此填写的号码未经验证；由本人用验证码验证。',
  ],
  'Why; the audit trail keeps it.': ['It stays in the history.', '会保留在历史记录中。'],
  'Why; the audit trail keeps it, and the author gets it by mail.': [
    'The author gets it by mail, and it stays in the history.',
    '作者会通过邮件收到，并保留在历史记录中。',
  ],
  'When it ends by itself; null: when somebody ends it.': [
    'Empty: until somebody ends it.',
    '留空表示直到有人结束它。',
  ],
  // Tokens, webhooks, accounts.
  'Make a token; the answer has its text, which is shown only now': [
    'An app signs in with a token. Its text is shown once, on the next page.',
    '应用用令牌登录。令牌文本只在下一页显示一次。',
  ],
  'Change what it may do, until when, and its label; every node follows within 5 seconds': [
    'A change holds within 5 seconds.',
    '更改在 5 秒内生效。',
  ],
  'What people call it.': [
    'Such as “Website”: lists and the history call it so.',
    '例如“网站”：列表和历史记录中以此称呼。',
  ],
  'Whom it may act for.': ['', ''],
  'The bound user of a user token; the default sender of the others.': [
    'With a token for one person: who that is. Else: who sends mails in which the app names nobody.',
    '一个人的令牌：此人是谁。其他令牌：应用未指明时，邮件的发件人。',
  ],
  'What it may do.': ['', ''],
  'When it stops working; null: never.': ['Empty: never.', '留空表示永不过期。'],
  'Whether its text is to have the form of a GUID.': [
    'For old programs that take no other form.',
    '用于只接受此形式的旧程序。',
  ],
  'Let somebody use the console; the answer has the link by which they choose how they sign in': [
    'You get a link to pass on; with it the person chooses how to sign in.',
    '您会得到一个链接，转交后由本人选择登录方式。',
  ],
  'By which the person signs in.': ['The person signs in with it.', '此人用它登录。'],
  'Block the user, and take down everything of theirs, in one act': [
    'Visitors no longer see anything of this person, and no app can act for them any more: nothing new, no mail, no code. Undo brings back what was taken.',
    '访客不再看到此人的任何内容，任何应用也不能再代表此人操作：不能发布、发邮件或获取验证码。“撤销”会恢复被下架的内容。',
  ],
  'Make a webhook; the answer has its secret, which is shown only now': [
    'Your server is called when something happens here. The secret that signs the calls is shown once, on the next page.',
    '这里有事发生时会调用您的服务器。用于签名的密钥只在下一页显示一次。',
  ],
  'Change where it is called and of what; what is not given stays, and so does its secret': [
    'The secret stays the same.',
    '密钥不变。',
  ],
  'What is called: http or https.': [
    'Where your server listens, such as https://shop.example.com/hook.',
    '您的服务器的网址，例如 https://shop.example.com/hook。',
  ],
  'The types of events that it gets: `*`, `article.*`, `mail.bounced`; all when absent.': [
    'When it is called. `*` is everything.',
    '何时调用。`*` 表示全部。',
  ],
  // The mail server.
  'The name or address of the mail server; null: mails are stored, not sent.': [
    'Such as smtp.example.com. Empty: mails stay here, and none goes out.',
    '例如 smtp.example.com。留空则邮件只保存在这里，不会发出。',
  ],
  'The port; null: 465 for TLS from the start, else 587.': [
    'Empty: 465 for TLS from the start, else 587.',
    '留空：用 SSL/TLS 时为 465，否则为 587。',
  ],
  'Whether the certificate of the server must be right.': [
    'Switch it off for a server of your own only.',
    '只对您自己的服务器关闭。',
  ],
  'Who signs in; null: the server asks for none.': [
    'Empty: the server asks nobody to sign in.',
    '留空：服务器不要求登录。',
  ],
  '`news@example.com` or `Example <news@example.com>`; null: the default.': [
    '`news@example.com` or `Example <news@example.com>`. Empty: the default.',
    '`news@example.com` 或 `Example <news@example.com>`。留空则用默认值。',
  ],
  'To whom the test mail goes.': [
    'Your own address. It is used for the test alone.',
    '您自己的地址，仅用于测试。',
  ],
};
