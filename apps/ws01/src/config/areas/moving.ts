import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const MOVING = {
  legacyCharset: setting({
    variable: 'LEGACY_CHARSET',
    form: forms.legacyCharset,
    without: 'none: bytes that are not UTF-8 become `?`, and the answer has the header `X-Warning`',
    documentation:
      'Charset of old clients that send `text/xml` without a charset and not in UTF-8, such as `gb18030` or `windows-1252`.',
  }),
  legacyImagePaths: setting({
    variable: 'LEGACY_IMAGE_PATHS',
    form: addresses.pathPatterns('{key}', '/upload/*/*/{key}.jpg,/img.aspx?id={key}'),
    without: 'none',
    documentation:
      'Paths of images on the old service, with `{key}` for the key and `*` for one segment, such as `/upload/*/*/{key}.jpg`. Images are served there, too.',
  }),
  legacyLinkPaths: setting({
    variable: 'LEGACY_LINK_PATHS',
    form: addresses.pathPatterns('{code}', '/go/{code},/go.aspx?id={code}'),
    without: 'none',
    documentation:
      'Paths of short links on the old service, with `{code}` for the code, such as `/go.aspx?id={code}`, in any order of parameters. They work here, too.',
  }),
  upstreamUrl: setting({
    variable: 'UPSTREAM_URL',
    form: addresses.upstreamUrl,
    without: 'none: unknown operations are an error',
    documentation:
      'URL of the service that this one replaces, with its path. Calls of operations that only it has are forwarded to it ([which parts](migration.md#6-parallel-run)).',
  }),
  upstreamOperations: setting({
    variable: 'UPSTREAM_OPERATIONS',
    form: forms.operationNames,
    without: 'none: this service answers all 20 operations',
    documentation:
      'Operations, separated by commas, that are forwarded to `UPSTREAM_URL`, too, until they are moved.',
  }),
} as const satisfies Record<string, Setting>;
