import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';
import * as smsForms from '../sms-forms.ts';

export const SERVICE = {
  serviceName: setting({
    variable: 'SERVICE_NAME',
    form: smsForms.serviceName,
    fallback: 'WS01',
    documentation: 'The name that users know the service by; text messages contain it.',
  }),
  servicePaths: setting({
    variable: 'SERVICE_PATHS',
    form: forms.servicePaths,
    fallback: '/WS01.asmx',
    documentation:
      'Path of the service below `BASE_URL`. Several are separated by commas; WSDL and pages name the first.',
  }),
  soapNamespace: setting({
    variable: 'SOAP_NAMESPACE',
    form: forms.namespace,
    fallback: 'urn:ws01',
    documentation: "The XML namespace of requests and answers. Set it to the old service's when replacing one.",
  }),
  soapServiceName: setting({
    variable: 'SOAP_SERVICE_NAME',
    form: forms.xmlName,
    fallback: 'WS01',
    documentation: "The name of the service in WSDL, DISCO, OpenAPI and on its pages. Set it to the old service's.",
  }),
  timeZone: setting({
    variable: 'TIME_ZONE',
    form: forms.timeZone,
    fallback: 'UTC',
    documentation: 'IANA name of the zone that dates without a zone are in, and where a day begins.',
  }),
  defaultCountry: setting({
    variable: 'DEFAULT_COUNTRY',
    form: forms.country,
    without: 'none: such numbers are kept as digits',
    documentation: 'Two-letter country code that phone numbers without `+` are read in.',
  }),
  bootstrapToken: setting({
    variable: 'BOOTSTRAP_TOKEN',
    form: forms.tokenText,
    without: 'none: the first start makes a token; a terminal shows it once, else it is in `{DATA_DIR}/first-token`',
    secret: 'whole',
    documentation:
      'Text of a token that exists from the start, for automated installs: kind `service`, all scopes, a registered default sender.',
  }),
  codeSecret: setting({
    variable: 'CODE_SECRET',
    form: forms.secretText,
    without: 'none: the keys in the database are used as they are',
    secret: 'whole',
    documentation:
      'Secret that the keys of verification codes are mixed with, so that a copy of the database alone tells no code. The same on every node.',
  }),
  trustedCallers: setting({
    variable: 'TRUSTED_CALLERS',
    form: forms.networks,
    without: 'none: only credentials are believed',
    documentation:
      'Addresses or networks of back ends whose `ip` is believed on operations without a credential, too; written as `TRUSTED_PROXIES`.',
  }),
  reviewsFrom: setting({
    variable: 'REVIEWS_FROM',
    form: forms.word('anyone', 'trusted'),
    fallback: 'anyone',
    documentation: 'Who may call `submitReview`: `anyone`, or only back ends of `TRUSTED_CALLERS` (`trusted`).',
  }),
  reviewScale: setting({
    variable: 'REVIEW_SCALE',
    form: forms.integer(1, 1_000),
    fallback: '5',
    documentation: 'The best rating; `Mark` is a number from 0 to this, or a remark.',
  }),
  shortBaseUrl: setting({
    variable: 'SHORT_BASE_URL',
    form: forms.publicUrl,
    without: '`{BASE_URL}/s`',
    documentation: 'What short links begin with.',
  }),
  shortPrivateTargets: setting({
    variable: 'SHORT_PRIVATE_TARGETS',
    form: forms.toggle,
    fallback: 'on',
    documentation: 'Whether short links may lead to private addresses and to names of local networks.',
  }),
  visitSourcesPerDay: setting({
    variable: 'VISIT_SOURCES_PER_DAY',
    form: forms.integer(0, 1_000),
    fallback: '50',
    documentation:
      'Referring sites, and as many countries or languages, that visits of a short link are counted by a day; further ones are counted together. 0 counts none.',
  }),
  countryHeader: setting({
    variable: 'COUNTRY_HEADER',
    form: forms.headerName,
    without: 'none: the languages of browsers are counted instead',
    documentation:
      'Header in which a proxy of `TRUSTED_PROXIES` tells the country of a visitor as two letters, such as `CF-IPCountry`; visits of short links are counted by it.',
  }),
  refuseEmbeddedWrites: setting({
    variable: 'REFUSE_EMBEDDED_WRITES',
    form: forms.toggle,
    fallback: 'on',
    documentation:
      'Whether operations that write refuse what a browser asks for to show a part of a page: an image, script, style, font or media (`Sec-Fetch-Dest`). `off` for pages that count or vote by an image.',
  }),
  mcp: setting({
    variable: 'MCP',
    form: forms.toggle,
    fallback: 'off',
    documentation:
      '`on` serves the operations as tools of the Model Context Protocol at `/mcp`, see [tools](mcp.md). Needs `npm install @modelcontextprotocol/sdk`.',
  }),
} as const satisfies Record<string, Setting>;
