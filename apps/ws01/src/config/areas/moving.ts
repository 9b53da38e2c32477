import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const MOVING = {
  legacyCharset: setting({
    variable: 'LEGACY_CHARSET',
    form: forms.legacyCharset,
    without: 'none: bytes that are not UTF-8 become `?`, and the answer has the header `X-Warning`',
    documentation:
      'Charset of old clients that send `text/xml` without one and bytes that are not UTF-8: `gb18030`, `windows-1252`.',
  }),
  legacyImagePaths: setting({
    variable: 'LEGACY_IMAGE_PATHS',
    form: forms.pathPatterns('{key}', '/upload/{key}.jpg,/img.aspx?id={key}'),
    without: 'none',
    documentation:
      'Where the old service had its images, with `{key}` for the key: `/upload/{key}.jpg`. They are answered there, too.',
  }),
  legacyLinkPaths: setting({
    variable: 'LEGACY_LINK_PATHS',
    form: forms.pathPatterns('{code}', '/go/{code},/go.aspx?id={code}'),
    without: 'none',
    documentation: 'Where the old service had its short links, with `{code}` for the code: `/go.aspx?id={code}`.',
  }),
  upstreamUrl: setting({
    variable: 'UPSTREAM_URL',
    form: forms.upstreamUrl,
    without: 'none: unknown operations are an error',
    documentation:
      'The service that this one replaces, with its path: operations that only it has are passed on to it byte for byte.',
  }),
  upstreamOperations: setting({
    variable: 'UPSTREAM_OPERATIONS',
    form: forms.operationNames,
    without: 'none: all 20 operations are answered here',
    documentation: 'Operations, separated by commas, that are passed on as well, until they have moved.',
  }),
  upstreamNetworks: setting({
    variable: 'UPSTREAM_NETWORKS',
    form: forms.networks,
    without: 'none: only public addresses are connected to',
    documentation: 'Private networks that `UPSTREAM_URL` may lead to; written as `TRUSTED_PROXIES`.',
  }),
} as const satisfies Record<string, Setting>;
