import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  call,
  callSoap,
  envelopeOf,
  postSoap,
  VERSIONS,
} from '../../../../packages/asmx/test/kit/soap.ts';
import { xml } from '../kit/bindings.ts';
import { ECHO_NAMESPACE, echoForSuite, NOTHING_GIVEN } from '../kit/echo.ts';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const XSD = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

/** A text of 100 kB that is hard on every layer. */
const LARGE = '两室一厅 🏠 <&>"\' line\n'.repeat(4_000);

for (const version of VERSIONS) {
  describe(`parameters in ${version.name}`, () => {
    const echo = echoForSuite();
    const given = async (operation: string, content: string) => {
      const answer = await callSoap(echo.url, version, operation, content);
      assert.equal(answer.status, 200, answer.body);
      return answer.echo!;
    };

    it('missing: not given, 0, false', async () => {
      const { Status, caption, pinnedTopDueDate } = await given('InsertArticle', '');
      assert.deepEqual(
        { Status, caption, pinnedTopDueDate },
        { Status: 0, caption: null, pinnedTopDueDate: null },
      );
      assert.equal((await given('addNewAdvert', '')).isImage, false);
      assert.equal(
        (await postSoap(echo.url, version, envelopeOf(version, call('InsertArticleImageFile'))))
          .status,
        200,
      );
    });

    it('empty: no int, boolean or dateTime is given', async () => {
      const { Status, pinnedTopDueDate } = await given(
        'InsertArticle',
        '<Status/><pinnedTopDueDate></pinnedTopDueDate>',
      );
      assert.deepEqual({ Status, pinnedTopDueDate }, { Status: 0, pinnedTopDueDate: null });
      assert.equal((await given('addNewAdvert', '<isImage> </isImage>')).isImage, false);
    });

    it('in any order, with unknown ones among them', async () => {
      const content =
        '<ip>3</ip><extra><deep>x</deep></extra><FileGuid>2</FileGuid><Extra/>text<verifyCode>1</verifyCode>';
      assert.deepEqual(await given('DeleImgById', content), {
        op: 'DeleImgById',
        verifyCode: '1',
        FileGuid: '2',
        Link_Guid: null,
        ip: '3',
      });
    });

    it('repeated: the first wins, even an empty or a nil one', async () => {
      assert.equal((await given('DeleImgById', '<ip>1</ip><ip>2</ip>')).ip, '1');
      assert.equal((await given('DeleImgById', '<ip/><ip>2</ip>')).ip, '');
      assert.equal((await given('DeleImgById', `<ip xsi:nil="true" ${XSI}/><ip>2</ip>`)).ip, null);
    });

    it('in another case, without a namespace or in another one: not recognised', async () => {
      const answer = await given(
        'DeleImgById',
        '<IP>1</IP><Fileguid>2</Fileguid><verifyCode xmlns="">3</verifyCode><Link_Guid xmlns="urn:x">4</Link_Guid>',
      );
      assert.deepEqual(answer, NOTHING_GIVEN);
    });

    it('unqualified under a prefixed operation: not recognised', async () => {
      const body = `<t:DeleImgById xmlns:t="${ECHO_NAMESPACE}"><ip>1</ip></t:DeleImgById>`;
      const answer = await postSoap(echo.url, version, envelopeOf(version, body));
      assert.equal(answer.echo?.ip, null);
    });

    it('unqualified in a call that fails: named, with both namespaces', async () => {
      const content = '<t:Status>x</t:Status><caption>1</caption><guid>2</guid>';
      const body = `<t:InsertArticle xmlns:t="${ECHO_NAMESPACE}">${content}</t:InsertArticle>`;
      const answer = await postSoap(echo.url, version, envelopeOf(version, body));
      assert.equal(answer.status, 500);
      const said = `caption, guid stood in no namespace, not in ${ECHO_NAMESPACE}.`;
      assert.ok(answer.body.includes(said), answer.body);
    });

    it('with names of every object: unknown like any other', async () => {
      const answer = await given(
        'DeleImgById',
        '<constructor>1</constructor><__proto__>2</__proto__><ip>3</ip>',
      );
      assert.deepEqual(Object.keys(answer), ['op', 'verifyCode', 'FileGuid', 'Link_Guid', 'ip']);
    });

    it('with attributes, xsi:type among them', async () => {
      const content =
        `<verifyCode a="1">x</verifyCode><FileGuid xsi:type="xsd:string" ${XSI} ${XSD}>y</FileGuid>` +
        `<ip xsi:type="xsd:int" ${XSI}>z</ip>`;
      const { verifyCode, FileGuid, ip } = await given('DeleImgById', content);
      assert.deepEqual({ verifyCode, FileGuid, ip }, { verifyCode: 'x', FileGuid: 'y', ip: 'z' });
    });

    for (const nil of ['true', '1', ' true ']) {
      it(`xsi:nil="${nil}": not given, whatever the type and content`, async () => {
        const attributes = `xsi:nil="${nil}" ${XSI}`;
        const content =
          `<caption ${attributes}/><Status ${attributes}>7</Status><pinnedTopDueDate ${attributes}></pinnedTopDueDate>` +
          '<guid>g</guid>';
        const { caption, Status, pinnedTopDueDate, guid } = await given('InsertArticle', content);
        assert.deepEqual(
          { caption, Status, pinnedTopDueDate, guid },
          { caption: null, Status: 0, pinnedTopDueDate: null, guid: 'g' },
        );
      });
    }

    it('xsi:nil="false", and nil in no namespace: given', async () => {
      const { verifyCode, ip } = await given(
        'DeleImgById',
        `<verifyCode xsi:nil="false" ${XSI}>1</verifyCode><ip nil="true">2</ip>`,
      );
      assert.deepEqual({ verifyCode, ip }, { verifyCode: '1', ip: '2' });
    });

    it('xsi:nil on the operation: nothing is given', async () => {
      const body = `<DeleImgById xmlns="${ECHO_NAMESPACE}" xsi:nil="true" ${XSI}><ip>1</ip></DeleImgById>`;
      assert.equal((await postSoap(echo.url, version, envelopeOf(version, body))).echo?.ip, null);
    });

    for (const [what, content, value] of [
      ['empty', '<ip></ip>', ''],
      ['empty by one tag', '<ip/>', ''],
      ['blanks alone', '<ip>  \t </ip>', '  \t '],
      ['blanks around', '<ip> a </ip>', ' a '],
      ['line ends, which become LF', '<ip>a\r\nb\rc\nd</ip>', 'a\nb\nc\nd'],
      ['a CR by reference, which stays', '<ip>a&#13;&#xD;b</ip>', 'a\r\rb'],
      ['CDATA', '<ip><![CDATA[<a>&amp;]]&gt;]]></ip>', '<a>&amp;]]&gt;'],
      ['CDATA and text in turn', '<ip>a<![CDATA[b]]>c<![CDATA[]]>&lt;</ip>', 'abc<'],
      ['the five entities', '<ip>&lt;&gt;&amp;&quot;&apos;</ip>', '<>&"\''],
      ['character references', '<ip>&#20013;&#x4E2D;&#x1F3E0;</ip>', '中中🏠'],
      ['a pair of surrogate references, as Axis 1.4 writes it', '<ip>&#xD83C;&#xDFE0;</ip>', '🏠'],
      ['a comment, which is passed over', '<ip>a<!-- x -->b</ip>', 'ab'],
      ['an instruction, which is passed over', '<ip>a<?x y?>b</ip>', 'ab'],
      ['supplementary characters', '<ip>🏠𠮷</ip>', '🏠𠮷'],
    ] as const) {
      it(`text: ${what}`, async () => {
        assert.equal((await given('DeleImgById', content)).ip, value);
      });
    }

    it('text of 100 kB, escaped and as CDATA', async () => {
      assert.equal(
        (await given('InsertArticle', `<content>${xml(LARGE)}</content>`)).content,
        LARGE,
      );
      const cdata = `<content><![CDATA[${LARGE}]]></content>`;
      assert.equal((await given('InsertArticle', cdata)).content, LARGE);
    });

    for (const [operation, parameter, value, reason] of [
      ['QueryAdvert', 'pageindex', 'x', 'Input string was not in a correct format.'],
      [
        'QueryAdvert',
        'pageindex',
        '2147483648',
        'Value was either too large or too small for an Int32.',
      ],
      ['addNewAdvert', 'isImage', ' maybe ', "The string 'maybe' is not a valid Boolean value."],
      [
        'UpdatePinnedTopDueDateByGuid',
        'pinnedTopDueDate',
        '2024-02-30T00:00:00',
        "The string '2024-02-30T00:00:00' is not a valid AllXsd value.",
      ],
    ] as const) {
      const fault = (place: string) =>
        `Server was unable to read request. ---> There is an error in XML document ${place}. ---> ${reason}`;
      const bad = `<${parameter}>${value}</${parameter}>`;

      it(`${parameter} = ${value}: ASP.NET’s fault, with the place of the token behind it`, async () => {
        for (const [content, column] of [
          [`${bad}<extra/>`, `<${operation} xmlns="${ECHO_NAMESPACE}">${bad}<`.length + 1],
          [bad, `<${operation} xmlns="${ECHO_NAMESPACE}">${bad}</`.length + 1],
          [`${bad} <extra/>`, `<${operation} xmlns="${ECHO_NAMESPACE}">${bad}`.length + 1],
        ] as const) {
          const body = envelopeOf(version, `\n${call(operation, content)}`);
          const answer = await postSoap(echo.url, version, body);
          assert.equal(answer.status, 500);
          assert.equal(answer.fault?.code, version.sender);
          assert.equal(answer.fault?.reason, fault(`(2, ${column})`));
          assert.equal(answer.detail.code, 'InvalidParameter');
          assert.equal(answer.detail.parameter, parameter);
          assert.ok(answer.detail.message?.startsWith(`${parameter}: `));
        }
      });
    }
  });
}
