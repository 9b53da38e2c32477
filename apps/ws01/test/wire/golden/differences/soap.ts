import { type Answer, errorOf, faultOf, statusOf, typeOf } from '../answer.ts';
import type { Difference } from '../differences.ts';
import type { RecordedRequest } from '../request.ts';

const CHARSET = /charset\s*=\s*["']?([^"';]*)/i;
/** Charsets that .NET knows by this name, and this service too. */
const KNOWN_CHARSET =
  /^(?:utf-8|utf-16(?:le|be)?|unicode|us-ascii|ascii|iso-8859-\d+|latin1|gb2312|gbk|gb18030|big5|euc-kr|euc-jp|shift_jis|windows-\d+|koi8-[ru])$/i;

const isSoapText = (request: RecordedRequest) =>
  /^text\/xml\b/i.test(request.header('content-type'));

/** Whether two answers are one fault, but for what this service says in the detail. */
function sameButDetail(recorded: Answer, ours: Answer): boolean {
  const plain = ours.body.replace(/<(soap:Detail|detail)>.*<\/\1>/s, '<$1 />');
  return recorded.line === ours.line && plain === recorded.body;
}

/** Whether an answer is a recorded one with its placeholders (`{0}`) filled, and perhaps a detail. */
function fills(recorded: Answer, ours: Answer): boolean {
  if (!/\{\d\}/.test(recorded.body) || recorded.line !== ours.line) return false;
  const [before, ...rest] = recorded.body.split(/(?:HTTP Header )?\{\d\}(?:: \{\d\})?/);
  const wholeOf = (text: string) =>
    text
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/<(detail|soap:Detail) \/>/, '<$1>.*</$1>');
  return new RegExp(`^${[before!, ...rest].map(wholeOf).join('.*')}$`, 's').test(ours.body);
}

const faulted = (answer: Answer, code: string, words: string) =>
  errorOf(answer)?.code === code &&
  errorOf(answer)!.message.includes(words) &&
  faultOf(answer) !== undefined;

export const SOAP_DIFFERENCES: readonly Difference[] = [
  {
    id: 'typed-detail',
    situation: 'A fault of ASP.NET’s own',
    asmx: 'an empty `<detail />`',
    ours: 'the same status, code and words; the detail holds code, message and request id',
    why: 'A person finds the reason, and the operator the call.',
    covers: ({ recorded, ours }) =>
      faultOf(recorded) !== undefined && sameButDetail(recorded, ours),
  },
  {
    id: 'placeholders',
    situation: 'A fault about a header, a SOAPAction or the envelope’s namespace',
    asmx: 'the recording server (Mono) left placeholders in its words (`{0}`); .NET Framework fills them',
    ours: 'filled as .NET Framework does; all but MustUnderstand with the typed detail',
    why: 'Clients see what .NET Framework would say.',
    covers: ({ recorded, ours }) => faultOf(recorded) !== undefined && fills(recorded, ours),
  },
  {
    id: 'operation-errors',
    situation: 'The operation fails',
    asmx: '500, Server, `Server was unable to process request. ---> ` and the exception’s message',
    ours: '500, by whose fault it is Client or Server, the message alone, typed detail; of a defect only the request id',
    why: 'Messages of exceptions may hold what is nobody’s business.',
    covers: ({ recorded, ours }) =>
      recorded.body.includes('---&gt; Boom') &&
      statusOf(recorded) === 500 &&
      errorOf(ours)?.code === 'Internal',
  },
  {
    id: 'media-type',
    situation:
      'A content type that SOAP is not sent with, also `text/xml ;…` with a blank; SOAP 1.1 as `application/soap+xml`',
    asmx: '415 with an empty body; without SOAPAction a Receiver fault, for JSON an HTML page',
    ours: '415 with a fault that names the right types',
    why: '.NET proxies show the reason; the status stays.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 415 &&
      statusOf(recorded) >= 400 &&
      faulted(ours, 'UnsupportedMediaType', ''),
  },
  {
    id: 'multipart-soap',
    situation: 'A SOAP message in `multipart/related` (MTOM, SOAP with Attachments)',
    asmx: '415',
    ours: 'read; 400 where it cannot be',
    why: 'WCF and Axis clients send files so.',
    covers: ({ request, recorded }) =>
      /^multipart\//i.test(request.header('content-type')) && statusOf(recorded) === 415,
  },
  {
    id: 'missing-part',
    situation: 'SOAP without SOAPAction, or 1.2: no Envelope, or no Body',
    asmx: '500, Server or Receiver, `Server was unable to process request. ---> Request format is invalid: Missing required …`',
    ours: 'as with a SOAPAction: 500, Client or Sender, `Server was unable to read request. ---> …`, the same words behind it',
    why: 'It is never the server’s fault, and clients try again when it is.',
    covers: ({ recorded, ours }) => {
      const theirs = faultOf(recorded)?.reason.split(' ---&gt; ');
      const said = faultOf(ours)?.reason.split(' ---&gt; ');
      return (
        statusOf(ours) === 500 &&
        /^Request format is invalid: Missing/.test(theirs?.[1] ?? '') &&
        said?.[1] === theirs?.[1]
      );
    },
  },
  {
    id: 'text-between',
    situation: 'Text or a second Header between the parts of an envelope',
    asmx: 'text before the Body: Missing required soap:Body; before the operation’s element: no action; two Headers: Missing required soap:Body',
    ours: 'text is passed over, each Header is looked at',
    why: 'The call is complete, and it cannot be read in two ways.',
    covers: ({ recorded, ours }) =>
      statusOf(recorded) === 500 &&
      statusOf(ours) === 200 &&
      /Missing required soap:Body|without a valid action parameter/.test(
        faultOf(recorded)?.reason ?? '',
      ),
  },
  {
    id: 'operation-twice',
    situation: 'The operation’s element twice in the Body',
    asmx: 'the second is laid over the first',
    ours: 'the first counts, as with repeated parameters',
    why: 'No client sends it; a credential must not change after it was judged.',
    covers: ({ request, recorded, ours }) => {
      const named = /<([\w:]*)(\w+)[ >][\s\S]*<\/\1\2>\s*<\1\2[ >]/.exec(
        request.body.split(/Body>/)[1] ?? '',
      );
      return named !== null && statusOf(recorded) === 200 && statusOf(ours) === 200;
    },
  },
  {
    id: 'nul-behind',
    situation: 'NULs behind white space behind the envelope',
    asmx: '400; directly behind the envelope they are passed over',
    ours: 'passed over in either place',
    why: 'C clients write a line end, too.',
    covers: ({ request, recorded, ours }) =>
      /\0\s*$/.test(request.body) && statusOf(recorded) === 400 && statusOf(ours) === 200,
  },
  {
    id: 'unreadable-xml',
    situation: 'Malformed XML, a DTD, bytes that contradict the charset, an empty body',
    asmx: '400 with an empty body; in SOAP 1.2 before the operation’s element 500 with a Receiver fault',
    ours: '400 with a Client or Sender fault that says where and why',
    why: 'It is never the server’s fault, and an empty body helps nobody.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 400 &&
      faulted(ours, 'MalformedRequest', '') &&
      (statusOf(recorded) === 400 || faultOf(recorded)?.code === 'soap:Receiver'),
  },
  {
    id: 'header-validation',
    situation: 'Markup in a header, such as `SOAPAction: <x>`',
    asmx: 'the recording server (Mono) validates headers: an HTML page; .NET Framework answers the fault',
    ours: '.NET Framework’s fault',
    why: 'As .NET Framework does.',
    covers: ({ request, recorded, ours }) =>
      request.header('soapaction').includes('<') &&
      typeOf(recorded) === 'text/html' &&
      faultOf(ours) !== undefined,
  },
  {
    id: 'soapaction-slashes',
    situation: 'A SOAPAction with two slashes before the operation',
    asmx: 'unknown action',
    ours: 'read like one with one',
    why: 'Clients join the namespace and the name by hand.',
    covers: ({ request, recorded, ours }) =>
      /[^:]\/\/\w+"?$/.test(request.header('soapaction')) &&
      statusOf(recorded) === 500 &&
      statusOf(ours) === 200,
  },
  {
    id: 'soapaction-empty',
    situation: 'A SOAPAction that is empty, `""` or `"*"`',
    asmx: 'unknown action',
    ours: 'the Body’s element says which operation is meant',
    why: 'curl and toolkits send it so.',
    covers: ({ request, recorded }) =>
      /^(?:"\*?"|\*|)$/.test(request.header('soapaction')) &&
      (faultOf(recorded)?.reason ?? '').startsWith(
        'Server did not recognize the value of HTTP Header',
      ),
  },
  {
    id: 'contradicting-body',
    situation:
      'A Body element that contradicts the SOAPAction, or stands in a wrong or no namespace',
    asmx: 'the action’s operation runs with nothing given',
    ours: 'a Client fault that names both',
    why: 'To run either would be a guess, and the values are lost.',
    covers: ({ recorded, ours }) =>
      statusOf(recorded) === 200 && faulted(ours, 'MalformedRequest', 'The SOAP action names '),
  },
  {
    id: 'comment-in-value',
    situation: 'A comment or processing instruction inside a value',
    asmx: '400 with an empty body',
    ours: 'passed over, the text around it joined',
    why: 'XML 1.0 2.5: they are no part of the character data.',
    covers: ({ request, recorded, ours }) =>
      statusOf(recorded) === 400 && statusOf(ours) === 200 && /<!--|<\?(?!xml )/.test(request.body),
  },
  {
    id: 'element-in-value',
    situation: 'An element inside a value',
    asmx: '400 with an empty body; as the first content: its text is taken and every parameter behind it lost',
    ours: '400 with a fault that says how to write markup',
    why: 'What cannot be read is not guessed.',
    covers: ({ ours }) =>
      statusOf(ours) === 400 && faulted(ours, 'MalformedRequest', ' holds the element '),
  },
  {
    id: 'surrogate-references',
    situation: 'A character beyond U+FFFF written as two references, `&#xD83D;&#xDE00;`',
    asmx: '400 with an empty body',
    ours: 'read as the one character',
    why: 'Axis 1.4 writes it so.',
    covers: ({ request, recorded, ours }) =>
      statusOf(recorded) === 400 &&
      statusOf(ours) === 200 &&
      /&#(?:x[dD][89abAB]|55\d{3}|56[0-2]\d\d)/.test(request.body),
  },
  {
    id: 'no-charset',
    situation: '`text/xml` without a charset, or with one that .NET does not know (`utf8`)',
    asmx: 'ASCII: each byte above 127 is a question mark',
    ours: 'UTF-8, or what BOM or declaration say and the bytes are',
    why: 'Nobody can depend on question marks.',
    covers: ({ request, recorded, ours }) => {
      const charset = CHARSET.exec(request.header('content-type'))?.[1] ?? '';
      const text = isSoapText(request) && !KNOWN_CHARSET.test(charset);
      return (
        text &&
        statusOf(recorded) === 200 &&
        statusOf(ours) === 200 &&
        /"\w*\?+"/.test(recorded.body)
      );
    },
  },
  {
    id: 'declared-alias',
    situation:
      '`application/soap+xml` without a charset and a declaration with a name that only others know: `utf8`',
    asmx: "500, Receiver, `System does not support 'utf8' encoding.`",
    ours: 'read',
    why: 'The name is clear.',
    covers: ({ recorded, ours }) =>
      (faultOf(recorded)?.reason ?? '').includes('System does not support ') &&
      statusOf(ours) === 200,
  },
  {
    id: 'utf-7',
    situation: 'The charset UTF-7',
    asmx: 'read',
    ours: 'an unknown charset: read as UTF-8',
    why: 'It was withdrawn for what it hides from filters; .NET itself refuses it since version 5.',
    covers: ({ request, recorded, ours }) =>
      /charset="?utf-7/i.test(request.header('content-type')) &&
      statusOf(recorded) === 200 &&
      statusOf(ours) === 200,
  },
  {
    id: 'charset-in-quotes',
    situation:
      'A parameter of the Content-Type that only looks like one: `type="x;charset=iso-8859-1"`',
    asmx: 'split at each semicolon',
    ours: 'quoted strings are read as such',
    why: 'RFC 9110 5.6.4.',
    covers: ({ request, recorded, ours }) =>
      /"[^"]*;\s*charset=[^"]*"/i.test(request.header('content-type')) &&
      statusOf(recorded) === statusOf(ours),
  },
];
