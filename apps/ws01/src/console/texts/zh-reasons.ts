import { ZH_ERRORS } from './zh-errors.ts';
import { ZH_TOLD } from './zh-told.ts';

/**
 * Chinese translations of the reasons that the service stores with a call that failed, or with a mail that it did not send,
 * by their English templates: what is stored is the sentence with its values.
 */
const REASONS: Readonly<Record<string, string>> = {
  // Of pictures.
  'The file ends in the middle.': '文件不完整：在中途结束。',
  'The file is in too many parts.': '文件分成了太多部分。',
  'A part of the file is longer than the file.': '文件的某个部分比整个文件还长。',
  'The file is no JPEG, PNG, GIF, WebP, AVIF or HEIC.':
    '文件不是 JPEG、PNG、GIF、WebP、AVIF 或 HEIC。',
  'The file is of another kind in the same container as AVIF and HEIC.':
    '文件与 AVIF 和 HEIC 的容器相同，但属于其他类型。',
  'The file is an image and something else too: it holds {what}.':
    '文件除图片外还含有其他内容：{what}。',
  'A side of the image has {pixels} pixels.': '图片有一边长 {pixels} 像素，超出所允许的长度。',
  'The image has {found}; at most {allowed} are accepted.': '图片有 {found}；最多接受 {allowed}。',
  'The image has no pixels.': '图片没有像素。',
  'The {format} has no pixels.': '{format} 没有像素。',
  'The {format} has no brands.': '{format} 没有注明类型。',
  'The {format} has two frame headers.': '{format} 有两个帧头。',
  'The {format} has more than {most} scans.': '{format} 的扫描超过 {most} 次。',
  'The {format} has more properties than any image.': '{format} 的属性比任何图片都多。',
  'The {format} begins a second time.': '{format} 又从头开始了一次。',
  'The {format} ends early.': '{format} 过早结束。',
  'The {format} is cut off in its pixels.': '{format} 的像素数据被截断。',
  'The frame header of the {format} is cut off.': '{format} 的帧头被截断。',
  'The properties of the {format} are cut off.': '{format} 的属性被截断。',
  'The header of the {format} is cut off.': '{format} 的文件头被截断。',
  'The frame of the {format} is cut off.': '{format} 的帧被截断。',
  'The header of the {format} has another length than {length}.':
    '{format} 的文件头长度不是 {length}。',
  'The header of the {format} has another checksum.': '{format} 文件头的校验和不符。',
  'The {format} does not begin with its one header.': '{format} 不是以其唯一的文件头开始。',
  'A chunk of the {format} beside its pixels is too long.': '{format} 中像素以外的某个数据块太长。',
  'A box of the {format} is longer than the file.': '{format} 的某个数据盒比整个文件还长。',
  // Of credentials and budgets.
  'unknown or revoked': '未知，或已吊销',
  'expired on {at}': '已于 {at} 到期',
  'The credential lacks the scope "{scope}", which {name} needs.':
    '凭据缺少 {name} 所需的权限范围“{scope}”。',
  'Too many unusable credentials came from this network; wait, and send a valid one.':
    '来自此网络的无效凭据过多；请稍候，再发送有效的凭据。',
  'Too many {what}: {count} in {window} seconds are allowed; try again in {wait} seconds.':
    '次数过多（{what}）：每 {window} 秒允许 {count} 次；请在 {wait} 秒后重试。',
  'short links made from one address': '来自一个地址的短链接',
  'reviews from one address': '来自一个地址的评价',
  'reports from one address': '来自一个地址的举报',
  'queries from one address': '来自一个地址的查询',
  'QR codes for one address': '给一个地址的二维码',
  'bytes of texts from one address': '来自一个地址的文本字节',
  'mails of one sender': '一个发件人的邮件',
  'mails to one recipient': '给一个收件人的邮件',
  'recipients of one text': '同一内容的收件人',
  'recipients of one text of a service': '一个服务同一内容的收件人',
  'codes for one phone number': '给一个号码的验证码',
  'messages to one phone number': '给一个号码的短信',
  'messages to a phone number that is not assigned': '给一个未分配号码的短信',
  'messages to one block of phone numbers': '给一个号段的短信',
  'messages to one country': '给一个国家的短信',
  'messages asked for by one user': '一个用户请求的短信',
  'messages asked for with one token': '一个令牌请求的短信',
  'messages in all': '全部短信',
  'posts of one user': '一个用户的发布',
  'bytes of texts of one user': '一个用户的文本字节',
  'bytes of images of one user': '一个用户的图片字节',
  // Of addresses that nothing is sent to.
  'The address is on the suppression list: {why}': '该地址在停发名单中：{why}',
  'an earlier mail bounced: {detail}': '之前的邮件被退回：{detail}',
  'an earlier mail bounced': '之前的邮件被退回',
  'its reader called an earlier mail spam: {detail}': '收件人将之前的邮件标为垃圾邮件：{detail}',
  'its reader called an earlier mail spam': '收件人将之前的邮件标为垃圾邮件',
  'its reader wants no more mail': '收件人不愿再收邮件',
  'an operator put it there: {detail}': '由管理人员加入：{detail}',
  'an operator put it there': '由管理人员加入',
  // Of webhooks.
  'Not sent, because {host} is in a private network; to allow it, list the network in WEBHOOK_NETWORKS.':
    '未发送，因为 {host} 位于内网；如要允许，请把该网段写入 WEBHOOK_NETWORKS。',
  // What the values above say.
  '{width} x {height} pixels in {frames} frames': '{frames} 帧，每帧 {width} × {height} 像素',
  '{width} x {height} pixels that take about {memory} to decode':
    '{width} × {height} 像素，解码约需 {memory}',
  '{count} pixels in all frames together': '所有帧合计 {count} 像素',
  '{memory} of memory': '{memory} 内存',
  '{count} frames or more': '{count} 帧以上',
  '{count} frames': '{count} 帧',
  'a ZIP archive': 'ZIP 压缩包',
};

/** Values that are numbers. */
const NUMBERS = new Set([
  ...['pixels', 'least', 'most', 'digits', 'length', 'count', 'window', 'wait', 'width', 'height'],
  ...['frames', 'place'],
]);

/** Values of one word: parameters and operations. */
const NAMES = new Set(['field', 'name']);

function formOf(value: string): string {
  if (NUMBERS.has(value)) return '-?\\d+';
  return NAMES.has(value) ? '\\w+' : '.+?';
}

const FORMS = [
  ...Object.entries(REASONS),
  ...Object.entries(ZH_TOLD),
  ...[...ZH_ERRORS].filter(([template]) => /^\{field\} .*;|@/.test(template)),
].map(([template, translation]) => {
  const parts = template.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return RegExp.escape(part);
    return `(?<${part}>${formOf(part)})`;
  });
  return { form: new RegExp(`^${parts.join('')}$`, 's'), translation };
});

/** Longer texts are none of the service’s own; UTF-16 code units. */
const LONGEST = 1_000;

/** Returns a stored reason in Chinese, its values likewise; `undefined` if it has no translation. */
export function reasonInChinese(reason: string): string | undefined {
  if (reason.length > LONGEST) return undefined;
  for (const { form, translation } of FORMS) {
    const found = form.exec(reason);
    if (found === null) continue;
    return translation.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = found.groups?.[name] ?? '';
      return reasonInChinese(value) ?? value;
    });
  }
  // The engine puts the parameter before what is wrong with it.
  const [, name, wrong] = /^(\w+(?:\[\d+\])?): (.+)$/s.exec(reason) ?? [];
  const inChinese = wrong === undefined ? undefined : reasonInChinese(wrong);
  return inChinese === undefined ? undefined : `${name}：${inChinese}`;
}
