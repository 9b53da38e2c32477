/** Differences that no recorded exchange shows, because they need a result or a size that the recording did not have. */
export const UNRECORDED = [
  {
    situation: 'A null result',
    asmx: 'the result’s element is left out; over GET and POST `xsi:nil="true"`',
    ours: 'never null: an empty success is an empty element',
    why: 'Clients that read the element find it.',
  },
  {
    situation: 'Control characters in a result',
    asmx: '`&#x1;`, which strict parsers refuse',
    ours: 'never stored, never written',
    why: 'An answer that cannot be parsed is none.',
  },
  {
    situation: 'A carriage return in a result',
    asmx: 'raw, so that XML readers make a line feed of CR LF',
    ours: '`&#xD;`, so that they read CR LF',
    why: 'Text comes back as it was sent.',
  },
  {
    situation: 'A request or field over its limit',
    asmx: '4 MiB; 500, `There was an exception running the extensions specified in the config file. ---> Maximum request length exceeded.`, in SOAP 1.2 a null reference',
    ours: 'the limits of docs/values.md; 500 with a Client or Sender fault `Maximum request length exceeded. …`, 413 over GET, POST and JSON',
    why: 'It says which limit, and that sending less helps.',
  },
  {
    situation: 'An error that an operation raises',
    asmx: '500, Server, `Server was unable to process request. ---> ` and the message; over GET and POST 500 with a line of text',
    ours: 'Client or Server by whose fault it is, the message alone, typed detail; over GET, POST and JSON the status of the code (400, 403, 404, 409, 413, 429, 503)',
    why: 'A program can act on the code, a person on the message.',
  },
  {
    situation: 'Every error',
    asmx: 'no header of its own',
    ours: '`X-Error-Code` and `X-Request-Id`; `Retry-After` with 429 and 503',
    why: 'Proxies and logs see it without reading the body.',
  },
  {
    situation: 'A parameter that is not given in a JSON call',
    asmx: '500, `Invalid web service call, missing value for parameter: ` and the name; the recording server (Mono) takes it as not given',
    ours: 'not given; the operation says which ones it needs',
    why: 'As over SOAP.',
  },
  {
    situation: 'A member of a JSON call that no parameter has',
    asmx: 'ignored',
    ours: 'ignored, and told: `X-Warning` with the name, and a line of the log for each name of an operation',
    why: 'A name that is misspelled loses its value.',
  },
  {
    situation: '`customErrors` off',
    asmx: 'exception dumps with stack lines in faults',
    ours: 'the short form, always',
    why: 'A stack is for the log.',
  },
  {
    situation: 'A path above 260 characters; a query above 2,048; more than 1,000 form keys',
    asmx: '400 or 404 with an HTML page (limits of IIS and ASP.NET)',
    ours: 'the limits of the [engine](../packages/asmx/README.md): `queryChars`, `formPairs`, `nameChars`',
    why: 'A caption in Chinese is nine characters a letter in a query.',
  },
  {
    situation: 'A service without `[ScriptService]`',
    asmx: 'JSON calls get an HTML page',
    ours: 'JSON is on',
    why: 'It costs nothing.',
  },
  {
    situation:
      'A date over GET and POST whose day or year .NET guesses: `6 May`, `12/25`, `May 06 07:08`; parts without or with other separators: `2031Dec25`, `2031 12 25`, `12/25 2031`',
    asmx: 'read: `6 May` as 1 May 2006, `May 06 07:08` as today, 06:07; `12/25` in the present year',
    ours: '400 with a right form; all other forms of .NET are read, the month before the day',
    why: 'A guess that is wrong is stored without a word.',
  },
  {
    situation: 'A body that pauses',
    asmx: 'IIS waits for 120 s',
    ours:
      'waits for 120 s, too, and for five minutes in all; while more than 100 bodies of a process come with less ' +
      'than 240 bytes a second, the slowest are refused; 408, over SOAP a fault',
    why: 'Bodies that never end hold memory; a client in a tunnel is no attack.',
  },
  {
    situation: 'TLS 1.0 and 1.1, all that .NET Framework before 4.6 asks for by itself',
    asmx: 'taken by the Windows of its time',
    ours: 'refused where the service has the certificate: TLS 1.2 and newer',
    why: 'Both are broken. A proxy in front may take them: nginx with `ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;` and `ssl_ciphers DEFAULT@SECLEVEL=0;`.',
  },
  {
    situation:
      'One of 67 charsets that .NET writes and few others know: EBCDIC but for 037, Johab, ISO-2022-KR, HZ, ISCII, ' +
      'East Asian, Arabic, Hebrew and Thai ones of Macs',
    asmx: 'what Windows has installed',
    ours: '415 with a sentence; the other 70 are read as .NET writes them',
    why: 'Read as UTF-8, their letters would be others without a word.',
  },
  {
    situation: 'A charset that nobody knows',
    asmx: 'ASCII or UTF-8',
    ours: 'read as UTF-8; bytes that are none are replaced, and the answer has `X-Warning` (JSON: 400)',
    why: 'A letter is never lost without a word.',
  },
  {
    situation: 'A mail address with `!`, `%` or `|` before the @',
    asmx: 'taken',
    ours: '400, in words that name the character',
    why: 'Mail servers read them as a route or a program.',
  },
  {
    situation: 'The list of operations',
    asmx: 'names alone where the operation has no description',
    ours: 'each name with a sentence',
    why: 'Whoever reads the page knows what a name does.',
  },
  {
    situation: '`X-AspNet-Version`, `X-Powered-By`, `Server`',
    asmx: 'sent',
    ours: 'not sent',
    why: 'No client reads them; attackers do.',
  },
] as const;
