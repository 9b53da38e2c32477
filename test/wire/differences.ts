/** Why this service answers a recorded request in another way than ASP.NET did. Each name is one difference. */
export interface Reason {
  readonly why: string;
  /** Names of recorded exchanges. */
  readonly exchanges: readonly string[];
}

const both = (...names: string[]): string[] => names.flatMap((name) => [`soap11/${name}`, `soap12/${name}`]);

export const REASONS: readonly Reason[] = [
  {
    why: 'Malformed XML and a DTD are answered with ASP.NET’s 400, but with a fault that says where and why in place of an empty body; with one status and one side (Client, Sender) wherever the mistake stands, which is never the server’s.',
    exchanges: [
      ...both(
        'bad-char',
        'bare-amp',
        'charref-ctl',
        'dtd-empty',
        'dup-attr',
        'empty-body',
        'truncated',
        'undeclared-prefix',
      ),
      'soap11/action-missing-badxml',
      'soap11/mismatched',
      'soap12/leading-newline-decl',
      'soap12/not-xml',
      'soap12/trailing-garbage',
      'soap12/two-roots',
      'soap12/whitespace-body',
      'soap12/xml11',
      'soap12/xxe',
    ],
  },
  {
    why: 'A wrong content type is answered with ASP.NET’s 415, but with a fault that names the right ones; ASP.NET sent an empty body, a server fault or an HTML page.',
    exchanges: [
      ...both('ct-form', 'ct-json', 'ct-other', 'ct-plain', 'ct-space-semi'),
      'soap11/ct-cross',
      'soap12/other-version',
      'verbs/POST-help-op',
      'verbs/POST-wsdl',
    ],
  },
  {
    why: 'The fault is ASP.NET’s, with a typed detail added: code, message and request id.',
    exchanges: [
      ...both('before-body', 'empty-envelope', 'no-soap-body'),
      'soap11/action-missing-unknown-op',
      'soap11/no-envelope-ns',
      'soap11/not-envelope',
      'soap11/wrong-root',
      'soap12/empty-soap-body',
      'soap12/no-op-ns',
      'soap12/slash-op-ns',
      'soap12/unknown-version',
      'soap12/wrong-op-ns',
    ],
  },
  {
    why: 'The recording server (Mono) left its message’s placeholders unfilled; .NET Framework fills them as this service does. Faults about the SOAPAction have the typed detail added.',
    exchanges: [
      ...both('header-actor', 'header-mu-other-ns', 'header-mu1'),
      'soap11/header-mu-two',
      'soap12/header-mutrue',
      'soap12/mu-throw',
      'soap11/action-case',
      'soap11/action-opname',
      'soap11/action-unknown',
      'soap11/unknown-op',
    ],
  },
  {
    why: 'The recording server (Mono) validates headers and showed an HTML page; .NET Framework answers this fault.',
    exchanges: ['soap11/action-markup'],
  },
  {
    why: 'A SOAPAction with two slashes before the operation is read like one with one.',
    exchanges: ['soap11/action-double-slash'],
  },
  {
    why: 'An empty SOAPAction, which curl and toolkits send, leaves the routing to the Body element.',
    exchanges: ['soap11/action-empty-quoted'],
  },
  {
    why: 'Comments and processing instructions inside a value are passed over and the text around them joined; ASP.NET answered 400.',
    exchanges: both('cdata', 'comment-first-in-string', 'comment-in-string', 'pi-in-string'),
  },
  {
    why: 'An element inside a value is refused with a fault that says so; ASP.NET answered an empty 400, or took the inner text and lost every parameter behind it.',
    exchanges: [...both('child-element-in-string'), 'soap11/only-child-in-string'],
  },
  {
    why: 'Content-Encoding is honoured: a body that is called gzip and is none cannot be read. ASP.NET ignored the header.',
    exchanges: both('content-encoding-gzip'),
  },
  {
    why: '`text/xml` without a charset, or with one that nobody knows, is read as UTF-8 and not as ASCII with question marks.',
    exchanges: ['soap11/ct-nocharset', 'soap11/ct-unknown', 'soap11/ct-utf8-nodash'],
  },
  {
    why: 'A Body element that contradicts the SOAPAction, or stands in a wrong or no namespace, is refused with both names; ASP.NET ran the operation with nothing given.',
    exchanges: ['soap11/mismatch-op', 'soap11/slash-op-ns', 'soap11/wrong-op-ns'],
  },
  {
    why: '`xsi:nil="true"` means not given; ASP.NET made an empty string of it.',
    exchanges: ['soap11/nil', 'soap11/nil-content', 'soap12/nil'],
  },
  {
    why: 'Over GET and POST a missing parameter means not given; ASP.NET answered 500. The operation says which ones it needs.',
    exchanges: [
      'get/missing-bytes',
      'get/missing-int',
      'get/missing-last',
      'get/no-parameters',
      'get/semicolon',
      'get/valueless-name',
      'post/missing-bytes',
      'post/missing-first',
      'post/no-body',
    ],
  },
  {
    why: 'Over GET and POST a wrong value is 400 with an `<error>` document that names the parameter; ASP.NET answered 500 with a line of text.',
    exchanges: ['get/duplicate-int', 'post/bad-date'],
  },
  {
    why: 'A file over GET and POST is read as one byte a value (ASP.NET’s meaning) or as base64; ASP.NET refused base64.',
    exchanges: ['get/bytes-256', 'get/bytes-base64', 'get/bytes-empty', 'post/bytes-base64'],
  },
  {
    why: 'Booleans over GET and POST may also be 1, 0, yes, no, on and off.',
    exchanges: ['post/bad-bool'],
  },
  {
    why: '`<tag` in a value is text like any other; ASP.NET’s request validation refused it.',
    exchanges: ['get/markup-value'],
  },
  {
    why: 'U+0000 is refused; ASP.NET took it and could not have written it back.',
    exchanges: ['get/nul'],
  },
  {
    why: '`%uXXXX` is decoded, as .NET Framework does; the recording server (Mono) does not.',
    exchanges: ['get/pct-u'],
  },
  {
    why: 'An unknown operation, or one in another case, is 404 with an `<error>` document that names the right spelling; ASP.NET answered 500.',
    exchanges: [
      'meta/js',
      'meta/jsdebug',
      'post/op-case',
      'post/unknown-op',
      'routing/op-case',
      'routing/op-extra-path',
      'routing/op-trailing-slash',
      'routing/slash-only',
      'routing/slash-only-post',
      'routing/slash-only-wsdl',
      'routing/unknown-op',
    ],
  },
  {
    why: 'A content type that a POST to an operation’s path does not take is 415; ASP.NET answered 500.',
    exchanges: ['post/ct-space', 'post/ct-text-xml', 'post/ct-text-xml-action'],
  },
  {
    why: 'multipart/form-data is a form too.',
    exchanges: ['post/ct-multipart'],
  },
  {
    why: 'JSON answers say their charset, as .NET Framework does; the recording server (Mono) does not.',
    exchanges: ['post/ct-json'],
  },
  {
    why: 'The path’s letter case does not matter, as on Windows; the recording server ran on Linux.',
    exchanges: ['routing/path-lower', 'routing/path-upper'],
  },
  {
    why: 'A path that is not the service’s is answered by whatever serves the rest of the site, not with ASP.NET’s HTML.',
    exchanges: ['routing/other-asmx', 'routing/other-asmx-soap', 'routing/root'],
  },
  {
    why: 'A verb that is not served is 405 with Allow and an `<error>` document; ASP.NET sent an HTML page, on an operation’s path with 500.',
    exchanges: ['DELETE', 'PATCH', 'PUT', 'TRACE', 'FOO', 'get']
      .flatMap((verb) => [`verbs/${verb}-op`, `verbs/${verb}-root`, `verbs/${verb}-wsdl`])
      .concat('verbs/HEAD-op'),
  },
  {
    why: 'HEAD is served wherever GET describes; OPTIONS is 204 with Allow.',
    exchanges: ['verbs/HEAD-root', 'verbs/HEAD-wsdl', 'verbs/OPTIONS-op', 'verbs/OPTIONS-root', 'verbs/OPTIONS-wsdl'],
  },
  {
    why: 'The WSDL is equal in meaning but for FileImg over GET and POST, which is a string so that every tool can read it; addresses come from BASE_URL. Line by line, the differences are in the test of the WSDL.',
    exchanges: ['wsdl', 'wsdl-and-more', 'wsdl-host-header', 'wsdl-lower', 'wsdl-mixed', 'wsdl-second'].map(
      (name) => `meta/${name}`,
    ),
  },
  {
    why: 'Addresses come from BASE_URL.',
    exchanges: ['meta/disco', 'meta/disco-upper'],
  },
  {
    why: 'The pages have ASP.NET’s content and a look of their own (the recording server, Mono, had its own pages, and failed on some).',
    exchanges: [
      'help',
      'help-other-query',
      'help-trailing-q',
      'mono-op-page',
      'op-InsertArticle',
      'op-InsertArticleImageFile',
      'op-QueryAdvert',
      'op-case',
      'op-empty',
      'op-unknown',
      'singlewsdl',
      'wsdl-disco',
      'wsdl-plus-bare',
      'wsdl-trailing-amp',
    ].map((name) => `meta/${name}`),
  },
  {
    why: 'A description that does not exist is 400 with an `<error>` document; ASP.NET answered 500 with a line of text.',
    exchanges: ['meta/schema-unknown', 'meta/wsdl-eq', 'meta/wsdl-eq-1'],
  },
];
