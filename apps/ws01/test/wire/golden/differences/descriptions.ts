import { statusOf, typeOf } from '../answer.ts';
import type { Difference } from '../differences.ts';

export const DESCRIPTION_DIFFERENCES: readonly Difference[] = [
  {
    id: 'wsdl',
    situation: '`?WSDL`',
    asmx: 'FileImg over GET and POST is `s1:StringArray`, a restriction of `soapenc:Array` in a second schema; attributes in hash order',
    ours: 'equal in meaning, but FileImg over GET and POST is a string; the test of the WSDL lists the differences line by line',
    why: 'wsimport stops on the second schema, others go to the internet for it.',
    covers: ({ recorded, ours }) =>
      statusOf(recorded) === 200 &&
      [recorded, ours].every(({ body }) => body.includes('<wsdl:definitions ')),
  },
  {
    id: 'pages',
    situation: 'The pages: `/WS01.asmx`, `?op=…`',
    asmx: 'ASP.NET’s page; the recording server (Mono) has its own, and fails on some',
    ours: 'ASP.NET’s content, with a look of its own',
    why: 'They are read by people, on phones and in the dark, too.',
    covers: ({ recorded, ours }) =>
      typeOf(recorded) === 'text/html' && typeOf(ours) === 'text/html' && statusOf(ours) === 200,
  },
  {
    id: 'proxy-script',
    situation: '`/WS01.asmx/js`, `/WS01.asmx/jsdebug`',
    asmx: 'a script for `Sys.Net.WebServiceProxy`, where the class has `[ScriptService]`; else 500 with an HTML page',
    ours: 'a script with the same functions and properties that needs no library',
    why: 'Pages that load it go on working, with MicrosoftAjax.js and without.',
    covers: ({ request, ours }) =>
      /\/js(?:debug)?$/i.test(request.target) &&
      typeOf(ours) === 'text/javascript' &&
      statusOf(ours) === 200,
  },
  {
    id: 'no-such-description',
    situation: '`?wsdl=…`, `?schema=…`: descriptions that do not exist',
    asmx: '500 with a line of text',
    ours: '400 with the same words in an `<error>` document',
    why: 'Nothing on the server failed.',
    covers: ({ recorded, ours }) =>
      statusOf(ours) === 400 &&
      /^(?:Schema|XML Web service description) (?:was )?not found\./.test(recorded.body),
  },
];
