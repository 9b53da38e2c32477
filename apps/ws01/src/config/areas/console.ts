import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const CONSOLE = {
  console: setting({
    variable: 'CONSOLE',
    form: forms.toggle,
    fallback: 'on',
    documentation: 'Serves the [console](console.md) at `/console`.',
  }),
  consolePort: setting({
    variable: 'CONSOLE_PORT',
    form: forms.integer(0, 65_535),
    without: 'none: the console is served on `PORT`',
    documentation: 'Serves the console on this port only, not on `PORT`.',
  }),
  consoleHost: setting({
    variable: 'CONSOLE_HOST',
    form: addresses.host,
    fallback: '127.0.0.1',
    documentation: 'Address to listen on for `CONSOLE_PORT`.',
  }),
  publicReading: setting({
    variable: 'PUBLIC_READING',
    changes: true,
    form: forms.toggle,
    fallback: 'on',
    documentation:
      'Lets everybody read what is [published](api.md#public-reading), below `/api/v1/public`.',
  }),
  publicOrigins: setting({
    variable: 'PUBLIC_ORIGINS',
    changes: true,
    form: addresses.origins,
    without: 'none: pages of other sites cannot',
    documentation: 'Sites whose pages may read `/api/v1/public`, separated by commas; `*` for all.',
  }),
  publicArticleUrl: setting({
    variable: 'PUBLIC_ARTICLE_URL',
    changes: true,
    form: addresses.articleUrl,
    without: 'none: feeds link to `/api/v1/public/articles/{guid}`',
    documentation: 'URL of an article for readers, with `{guid}` for its key; feeds link to it.',
  }),
} as const satisfies Record<string, Setting>;
