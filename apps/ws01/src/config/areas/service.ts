import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';
import * as smsForms from '../sms-forms.ts';

export const SERVICE = {
  serviceName: setting({
    variable: 'SERVICE_NAME',
    changes: true,
    form: smsForms.serviceName,
    fallback: 'WS01',
    documentation:
      'Name of the site: at the head and in the titles of its pages, and in text messages.',
  }),
  servicePaths: setting({
    variable: 'SERVICE_PATHS',
    form: addresses.servicePaths,
    fallback: '/WS01.asmx',
    documentation:
      'Paths of the service below `BASE_URL`, separated by commas. WSDL and pages show the first.',
  }),
  soapNamespace: setting({
    variable: 'SOAP_NAMESPACE',
    form: forms.namespace,
    fallback: 'urn:ws01',
    documentation:
      'XML namespace of requests and answers. To replace an old service, use its namespace.',
  }),
  soapServiceName: setting({
    variable: 'SOAP_SERVICE_NAME',
    form: forms.xmlName,
    fallback: 'WS01',
    documentation:
      'Name of the service in WSDL, DISCO, OpenAPI and on its pages. To replace an old service, use its name.',
  }),
  timeZone: setting({
    variable: 'TIME_ZONE',
    form: forms.timeZone,
    fallback: 'UTC',
    documentation:
      'IANA time zone (or its name on Windows) of dates that name none, and of the days of budgets and counts.',
  }),
  defaultCountry: setting({
    variable: 'DEFAULT_COUNTRY',
    form: forms.country,
    without: 'none: such numbers are stored as digits',
    documentation: 'Two-letter code of the country of phone numbers without `+`.',
  }),
  bootstrapToken: setting({
    variable: 'BOOTSTRAP_TOKEN',
    form: forms.tokenText,
    without:
      'none: the first start creates a token; a terminal shows it once, otherwise it is in `{DATA_DIR}/first-token`',
    secret: 'whole',
    documentation:
      'Text of a token that the start creates, for automated installs: kind `service`, all scopes, a registered default sender.',
  }),
  codeSecret: setting({
    variable: 'CODE_SECRET',
    form: forms.secretText,
    without: 'none: the keys in the database are used alone',
    secret: 'whole',
    documentation:
      'Secret that is added to the keys of verification codes, so that a copy of the database alone reveals no code. The same on every node.',
  }),
  trustedCallers: setting({
    variable: 'TRUSTED_CALLERS',
    form: addresses.networks,
    without: 'none: only calls with a credential may name an `ip`',
    documentation:
      'Addresses or networks of back ends whose `ip` parameter is also trusted on operations without a credential; written as `TRUSTED_PROXIES`.',
  }),
  reviewsFrom: setting({
    variable: 'REVIEWS_FROM',
    form: forms.word('anyone', 'trusted'),
    fallback: 'anyone',
    documentation:
      'Who may call `submitReview`: `anyone`, or only back ends of `TRUSTED_CALLERS` (`trusted`).',
  }),
  reviewScale: setting({
    variable: 'REVIEW_SCALE',
    form: forms.integer(1, 1_000),
    fallback: '5',
    documentation: 'Highest rating; `Mark` is a number from 0 to this, or a remark.',
  }),
  shortBaseUrl: setting({
    variable: 'SHORT_BASE_URL',
    form: addresses.publicUrl,
    without: '`{BASE_URL}/s`',
    documentation: 'URL that short links begin with.',
  }),
  countryHeader: setting({
    variable: 'COUNTRY_HEADER',
    form: forms.headerName,
    without: 'none: the languages of browsers are counted instead',
    documentation:
      'Header in which a proxy of `TRUSTED_PROXIES` sends the two-letter country of a visitor, such as `CF-IPCountry`; visits of short links are counted by it.',
  }),
  refuseEmbeddedWrites: setting({
    variable: 'REFUSE_EMBEDDED_WRITES',
    form: forms.toggle,
    fallback: 'on',
    documentation:
      'Operations that write refuse requests that a browser makes for an image, script, style, font or media (`Sec-Fetch-Dest`). `off` for pages that count or vote with an image.',
  }),
  mcp: setting({
    variable: 'MCP',
    form: forms.toggle,
    fallback: 'off',
    documentation:
      '`on` serves the operations as tools of the Model Context Protocol at `/mcp`, see [tools](mcp.md). Needs `npm install @modelcontextprotocol/sdk`.',
  }),
} as const satisfies Record<string, Setting>;
