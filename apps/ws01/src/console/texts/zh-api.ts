/** Chinese translations of the API's summaries of actions, which the console shows above forms. */
export const ZH_API: Readonly<Record<string, string>> = {
  'Bring back what was removed; what is held stays held': '恢复已移除的内容；被扣留的仍被扣留',
  'Let it wait for approval again': '让它重新等待审核',
  'Show it to the public: it waits no more, and a hold ends':
    '向公众显示：不再等待，扣留也随之解除',
  'Refuse it: only a restore brings it back': '拒绝它：只有恢复才能使其重新出现',
  'Cancel it while it waits': '在等待发送时取消',
  'Undo its cancelling: it is in the state again that it was in before':
    '撤销取消：恢复到取消之前的状态',
  'Change a user; what is not given stays': '修改用户；未填写的保持不变',
  'Close it and the other reports of its record, which stays as it is':
    '关闭这条举报以及同一记录的其他举报，记录保持不变',
  'End a block': '解除封禁',
  'End a hold': '解除扣留',
  'End a legal hold': '结束法律保全',
  'Erase everything stored about the user, permanently; it cannot be undone':
    '永久删除存储的有关该用户的全部数据；无法撤销',
  'Queue it again, to go out at once, while its code is valid':
    '在验证码有效期内重新排队并立即发送',
  'Keep it from the public until it is released': '在解除之前不对公众显示',
  'Let it work again': '重新启用',
  'Block the user, and take down everything of theirs, in one act':
    '一次完成：封禁该用户并下架其全部内容',
  'End a block, and put back what the last take-down of everything took':
    '解除封禁，并恢复上次全部下架的内容',
  'Take down all articles, adverts, images and reviews of the user':
    '下架该用户的全部文章、广告、图片和评价',
  'Put back what the last take-down of everything took': '恢复上次全部下架的内容',
  'Let nobody act for the user: tokens are refused, trusted callers that name them too':
    '任何人都不能代表该用户操作：其令牌被拒绝，指明该用户的受信调用方也被拒绝',
  'Let somebody use the console; the answer has the link by which they choose how they sign in':
    '允许某人使用控制台；完成后会显示一个链接，对方用它选择登录方式',
  'Let the person do more or less, from the next request on': '更改此人的权限，从下一次请求起生效',
  'Make a token; the answer has its text, which is shown only now':
    '创建令牌；令牌文本只在此时显示一次',
  'Send the event to its webhook again, at once': '立即把该事件再次投递给它的 webhook',
  'Make a webhook; the answer has its secret, which is shown only now':
    '创建 webhook；密钥只在此时显示一次',
  'Place a legal hold: what is stored about the user cannot be erased until it ends':
    '设置法律保全：结束之前，存储的有关该用户的数据不能删除',
  'Queue it again, to go out at once and to be tried for another day; the Message-ID stays':
    '重新排队，立即发送，并再重试一天；Message-ID 不变',
  'Register a user, who may then send mail; one who exists keeps what is not given':
    '注册用户，之后可以发送邮件；已有用户未填写的保持不变',
  'Delete permanently what was removed before; it cannot be undone':
    '永久删除已移除的内容；无法撤销',
  'Remove it, and what is on its way to it': '删除它，以及正在发往它的内容',
  'Remove the person from the console; every session of theirs ends':
    '将此人从控制台移除；其所有会话随即结束',
  'Revoke it permanently; every node refuses it within 5 seconds':
    '永久吊销；所有节点在 5 秒内拒绝它',
  'Send it an event that tells of nothing': '向它发送一个测试事件',
  'Send nothing to its recipient any more': '不再向其收件人发送任何内容',
  'Send nothing to this address any more': '不再向此地址发送任何内容',
  'Send the events that wait, and those that were given up, at once':
    '立即发送等待中的和已放弃的事件',
  'Read it back whole, and compare it with what was copied': '完整读回，并与复制时的内容比对',
  'Begin a backup; the list shows how far it is': '开始备份；列表显示进度',
  'Send to its recipient again': '恢复向其收件人发送',
  'Send to this address again': '恢复向此地址发送',
  'Sign the person out everywhere': '让此人在所有设备上退出登录',
  'Take it down; its code is given to no other': '停用；其短码不会再分配给其他链接',
  'Take it down; only a restore brings it back': '移除；只有恢复才能使其重新显示',
  'Take the person’s passkeys, password and sessions away, and make a new link':
    '清除此人的通行密钥、密码和会话，并生成新的链接',
  'Tell it of events again, from now on': '从现在起重新向它通知事件',
  'Tell it of nothing any more': '不再向它通知任何事件',
  'Undo the closing of it and of those closed with it': '撤销关闭，连同一起关闭的举报',
  'Change what it may do, until when, and its label; every node follows within 5 seconds':
    '修改它的权限、期限和名称；所有节点在 5 秒内生效',
  'Make a token in its place, with the same terms; the old one works on for a while, or ends now':
    '创建一个权限相同的新令牌来替代它；旧令牌继续有效一段时间，或立即失效',
  'Change where it is called and of what; what is not given stays, and so does its secret':
    '修改通知的地址和内容；未填写的保持不变，密钥也不变',
  'Give it another secret; the one before signs as well for a day':
    '更换密钥；旧密钥在一天内仍同时用于签名',
  'Make a new article': '新建一篇文章',
  'Make a new advert': '新建一则广告',
  'Make a new link': '新建一个短链接',
  'Change what the article says; what is not given stays': '修改文章；未填写的内容保持不变',
  'Change what the advert says; what is not given stays': '修改广告；未填写的内容保持不变',
  'Let it lead elsewhere, or end at another time; its code stays':
    '让它指向别处，或在其他时间结束；短码不变',
};
