import { html } from 'hono/html';
import { assetUrl } from './assets/assets.ts';

/** The icons of links and buttons by what they stand for; each is a symbol of `assets/icons.svg`. */
export const ICONS = {
  menu: {
    content: 'newspaper',
    messages: 'mail',
    apps: 'webhook',
    service: 'archive',
    overview: 'gauge',
    desk: 'gavel',
    inbox: 'inbox',
    articles: 'newspaper',
    adverts: 'megaphone',
    images: 'image',
    reviews: 'star',
    reports: 'flag',
    links: 'link',
    users: 'users',
    mails: 'mail',
    sms: 'message-square-text',
    codes: 'smartphone',
    suppressions: 'mail-x',
    tokens: 'key-round',
    failures: 'triangle-alert',
    webhooks: 'webhook',
    deliveries: 'send',
    events: 'radio',
    admins: 'user-cog',
    audit: 'history',
    backups: 'archive',
    settings: 'settings',
    queues: 'list-ordered',
    help: 'book-open',
    api: 'braces',
  },
  verb: {
    publish: 'check',
    reject: 'x',
    hold: 'pause',
    release: 'play',
    remove: 'eye-off',
    restore: 'rotate-ccw',
    purge: 'eraser',
    ban: 'ban',
    unban: 'rotate-ccw',
    takedown: 'eye-off',
    putback: 'rotate-ccw',
    block: 'ban',
    unblock: 'check',
    edit: 'pencil',
    retry: 'refresh-cw',
    resend: 'refresh-cw',
    rotate: 'key-round',
    cancel: 'x',
    uncancel: 'rotate-ccw',
    suppress: 'mail-x',
    unsuppress: 'mail',
    disable: 'pause',
    enable: 'play',
    revoke: 'ban',
    dismiss: 'check',
    reopen: 'rotate-ccw',
    erase: 'eraser',
    signout: 'log-out',
    test: 'send',
    verify: 'check',
  },
  app: {
    menu: 'menu',
    search: 'search',
    new: 'plus',
    upload: 'upload',
    csv: 'download',
    copy: 'copy',
    redo: 'redo-2',
    undo: 'undo-2',
    next: 'arrow-right',
    filter: 'list-filter',
    account: 'user',
    language: 'languages',
    theme: 'sun-moon',
    density: 'rows-3',
    keys: 'keyboard',
    done: 'circle-check',
    problem: 'circle-alert',
  },
} as const;

type IconGroup = keyof typeof ICONS;

/**
 * A picture beside a text, which says the same: who hears the page hears the text alone.
 * @returns empty where the group has none by that name.
 */
export function icon<Group extends IconGroup>(
  group: Group,
  name: Group extends 'app' ? keyof (typeof ICONS)['app'] : string,
): ReturnType<typeof html> | '' {
  const symbol = (ICONS[group] as Readonly<Record<string, string>>)[name];
  return symbol === undefined
    ? ''
    : html`<svg class="icon" aria-hidden="true"><use href="${assetUrl('icons.svg')}#${symbol}"></use></svg>`;
}
