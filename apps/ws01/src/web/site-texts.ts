import type { Language } from './language.ts';

const en = {
  'preview.title': 'Where this short link leads',
  'preview.leads': '{url} leads to',
  'preview.made': 'Made on {time}.',
  'preview.until': 'It works until {time}.',
  'preview.code': 'QR code of the short link',
  'unknown.title': 'No such link',
  'unknown.text': 'There is no short link here. Perhaps a character is missing or mistyped.',
  'ended.title': 'This link has ended',
  'ended.text': 'It has expired or was taken down, and leads nowhere any more.',
  'unsubscribe.title': 'No more mail?',
  'unsubscribe.do': 'Send me no more mail',
  'unsubscribed.title': 'You get no more mail',
  'unsubscribed.text': 'Nothing more is sent to your address from here.',
  '400.title': 'This cannot be understood',
  '400.text': 'Something is wrong with the address or with what was sent.',
  '404.title': 'There is no such page',
  '404.text': 'Perhaps a character of the address is missing or mistyped.',
  '410.title': 'This is gone',
  '410.text': 'It was here, and was taken away.',
  '429.title': 'Too much at once',
  '429.text': 'Please wait a minute, and try again.',
  '500.title': 'Something went wrong',
  '500.text': 'It is not your fault, and has been noted. Please try again later.',
  '503.title': 'Not to be reached just now',
  '503.text': 'Please try again in a moment.',
  'restore.title': 'A backup is being restored',
  'restore.saving': 'First a backup is made of what is there now.',
  'restore.restoring': 'The backup takes the place of what was there.',
  'restore.wait': 'The site is away meanwhile. This page goes on by itself.',
  request: 'Request',
  pages: 'Pages of this service',
  operations: 'Operations',
  api: 'HTTP API',
  console: 'Console',
  soap: 'SOAP and forms',
  'docs.script': 'This page needs JavaScript; the document itself is at {url}.',
  'docs.loading': 'Loading …',
  'docs.english': '',
};

export type SiteText = keyof typeof en;

const zh: Readonly<Record<SiteText, string>> = {
  'preview.title': '这个短链接通向哪里',
  'preview.leads': '{url} 通向',
  'preview.made': '创建于 {time}。',
  'preview.until': '有效期至 {time}。',
  'preview.code': '短链接的二维码',
  'unknown.title': '没有这个链接',
  'unknown.text': '这里没有短链接。可能漏掉或打错了一个字符。',
  'ended.title': '这个链接已失效',
  'ended.text': '它已过期或被撤下，不再通向任何地方。',
  'unsubscribe.title': '不再接收邮件？',
  'unsubscribe.do': '不要再给我发邮件',
  'unsubscribed.title': '您不会再收到邮件',
  'unsubscribed.text': '本服务不会再向您的地址发送邮件。',
  '400.title': '无法理解这个请求',
  '400.text': '网址或所发送的内容有误。',
  '404.title': '没有这个页面',
  '404.text': '网址中可能漏掉或打错了一个字符。',
  '410.title': '内容已不存在',
  '410.text': '它曾经在这里，现已撤下。',
  '429.title': '操作过于频繁',
  '429.text': '请等一分钟再试。',
  '500.title': '出了点问题',
  '500.text': '这不是您的错，我们已记录下来。请稍后再试。',
  '503.title': '暂时无法访问',
  '503.text': '请稍后再试。',
  'restore.title': '正在恢复备份',
  'restore.saving': '先为现有数据做一次备份。',
  'restore.restoring': '正在用备份替换现有数据。',
  'restore.wait': '在此期间网站暂停服务。本页会自动继续。',
  request: '请求',
  pages: '本服务的页面',
  operations: '操作',
  api: 'HTTP API',
  console: '控制台',
  soap: 'SOAP 与表单',
  'docs.script': '此页面需要 JavaScript；文档本身位于 {url}。',
  'docs.loading': '正在加载…',
  'docs.english':
    '按钮、数据结构和部分说明为英文：显示文档的第三方程序没有中文，名称与程序中的写法一致。',
};

const TEXTS: Readonly<Record<Language, Readonly<Record<SiteText, string>>>> = { en, zh };

/** Whether there are words for answers with a status. */
export function hasWordsFor(status: number): status is 400 | 404 | 410 | 429 | 500 | 503 {
  return `${status}.title` in en;
}

/** A text of the pages that visitors of the site see; a value stands for `{name}`. */
export function siteText(
  language: Language,
  name: SiteText,
  values: Readonly<Record<string, string>> = {},
): string {
  return TEXTS[language][name].replaceAll(/\{(\w+)\}/g, (_, key) => values[key] ?? '');
}
