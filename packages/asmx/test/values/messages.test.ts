import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEndpoint } from '../../src/index.ts';
import { serve, soap } from './kit.ts';
import { endpoint, NS, told } from './sample.ts';

describe('values of every type', () => {
  it('lists of objects come back as ASMX writes them; SOAP headers go in and out', async (test) => {
    const url = await serve(test, endpoint);
    const answer = await soap(
      `${url}/Weather.asmx`,
      `<GetForecast xmlns="${NS}"><days>2</days><city>Rome</city><unknown/></GetForecast>`,
      {
        action: `${NS}/GetForecast`,
        header: `<AuthHeader xmlns="${NS}" soap:mustUnderstand="1"><user>eve</user></AuthHeader>`,
      },
    );
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.header, `<Trace xmlns="${NS}"><id>eve</id></Trace>`);
    assert.equal(
      answer.body,
      `<GetForecastResponse xmlns="${NS}"><GetForecastResult>` +
        '<Forecast station="Rome&amp;"><day>2024-02-01T00:00:00Z</day><condition>Rain</condition><low xsi:nil="true" /><hours><int>1</int><int>2</int></hours><temperature unit="C">12.50</temperature></Forecast>' +
        '<Forecast station="Rome&amp;"><day>2024-02-02T00:00:00Z</day><condition>Rain</condition><low>1</low><hours><int>1</int><int>2</int></hours><temperature unit="C">12.50</temperature></Forecast>' +
        '</GetForecastResult></GetForecastResponse>',
    );
  });

  const FULL =
    '<value><text>a &lt; b</text><flag>true</flag><big>9007199254740993</big><amount>1234567890123456789.10</amount><ratio>INF</ratio><at>2024-02-29T12:00:00Z</at><id>6f9619ff-8b86-d011-b42d-00cf4fc964ff</id><bytes>AQID</bytes><days>Monday Friday</days><numbers>1</numbers><numbers>2</numbers><maybe><int>1</int><int xsi:nil="true" /></maybe><animals><Animal><name>a</name></Animal><Animal xsi:type="Dog"><name>b</name><barks>true</barks></Animal></animals><extra><x xmlns="urn:x" y="1">t<z /></x></extra><thing xsi:type="xsd:int">5</thing></value>';

  it('come back as they were sent, in both versions of SOAP', async (test) => {
    const url = await serve(test, endpoint);
    for (const version of ['1.1', '1.2'] as const) {
      const answer = await soap(`${url}/Weather.asmx`, `<Echo xmlns="${NS}">${FULL}</Echo>`, {
        version,
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(
        answer.body,
        `<EchoResponse xmlns="${NS}">${FULL.replace('<value>', '<EchoResult>').replace('</value>', '</EchoResult>')}</EchoResponse>`,
      );
    }
  });

  it('what is absent is told from what is nil and what is empty', async (test) => {
    const url = await serve(test, endpoint);
    const answer = await soap(
      `${url}/Weather.asmx`,
      `<Echo xmlns="${NS}"><value><text/><maybe/></value></Echo>`,
    );
    assert.equal(
      answer.body,
      `<EchoResponse xmlns="${NS}"><EchoResult><text /><flag>false</flag><big>0</big><amount>0</amount><ratio>0</ratio><at>0001-01-01T00:00:00</at><id>00000000-0000-0000-0000-000000000000</id><days /><maybe /></EchoResult></EchoResponse>`,
    );
    const nothing = await soap(`${url}/Weather.asmx`, `<Echo xmlns="${NS}"/>`);
    assert.equal(nothing.body, `<EchoResponse xmlns="${NS}" />`);
  });

  it('types that refer to themselves', async (test) => {
    const url = await serve(test, endpoint);
    const tree =
      '<name>a</name><children><Tree><name>b</name><children><Tree><name>c</name></Tree></children></Tree></children>';
    const answer = await soap(
      `${url}/Weather.asmx`,
      `<EchoTree xmlns="${NS}"><tree>${tree}</tree></EchoTree>`,
    );
    assert.equal(
      answer.body,
      `<EchoTreeResponse xmlns="${NS}"><EchoTreeResult>${tree}</EchoTreeResult></EchoTreeResponse>`,
    );
  });

  it('void, one-way, out and ref parameters', async (test) => {
    const url = await serve(test, endpoint);
    const forgotten = await soap(
      `${url}/Weather.asmx`,
      `<Forget xmlns="${NS}"><city>x</city></Forget>`,
    );
    assert.equal(forgotten.body, `<ForgetResponse xmlns="${NS}" />`);
    const sent = await soap(
      `${url}/Weather.asmx`,
      `<Notify xmlns="${NS}"><city>Bonn</city></Notify>`,
    );
    assert.deepEqual([sent.status, sent.text, told.city], [202, '', 'Bonn']);
    const tried = await soap(
      `${url}/Weather.asmx`,
      `<TryParse xmlns="${NS}"><text>40</text><value>2</value></TryParse>`,
    );
    assert.equal(
      tried.body,
      `<TryParseResponse xmlns="${NS}"><TryParseResult>true</TryParseResult><value>42</value><rest /></TryParseResponse>`,
    );
  });

  it('a wrong value is answered with its path', async (test) => {
    const url = await serve(test, endpoint);
    const answer = await soap(
      `${url}/Weather.asmx`,
      `<Echo xmlns="${NS}"><value><maybe><int>1</int><int>x</int></maybe></value></Echo>`,
    );
    assert.equal(answer.status, 500);
    assert.match(answer.body, /<parameter>value\.maybe\[1\]<\/parameter>/);
    const wrong = await soap(
      `${url}/Weather.asmx`,
      `<Echo xmlns="${NS}"><value><animals><Animal xsi:type="Cat"/></animals></value></Echo>`,
    );
    assert.match(
      wrong.body,
      /the type \{http:\/\/example.com\/weather\}Cat does not extend Animal/,
    );
  });

  it('what a handler must not return is an Internal answer and a line of the log; a typed detail is in the fault', async (test) => {
    const url = await serve(test, endpoint);
    const lines: unknown[] = [];
    test.mock.method(console, 'error', (...parts: unknown[]) => lines.push(parts.join(' ')));
    const answer = await soap(`${url}/Weather.asmx`, `<Fail xmlns="${NS}"><what>x</what></Fail>`);
    assert.equal(answer.status, 500);
    assert.match(answer.body, /<code>Internal<\/code>/);
    assert.match(String(lines[0]), /FailResult: a value of the type string is not a whole number/);
    const detailed = await soap(
      `${url}/Weather.asmx`,
      `<Fail xmlns="${NS}"><what>detail</what></Fail>`,
    );
    assert.match(
      detailed.body,
      new RegExp(`<detail><BrokenDetail xmlns="${NS}"><part>wheel</part></BrokenDetail></detail>`),
    );
  });

  it('over GET and POST where forms can carry them', async (test) => {
    const url = await serve(test, endpoint);
    const sum = await fetch(`${url}/Weather.asmx/Sum?numbers=1&numbers=41`);
    assert.equal(
      await sum.text(),
      `<?xml version="1.0" encoding="utf-8"?>\r\n<long xmlns="${NS}">42</long>`,
    );
    const refused = await fetch(`${url}/Weather.asmx/Echo?value=1`);
    assert.equal(refused.status, 404);
    assert.match(await refused.text(), /Echo cannot be called by GET and POST/);
  });

  it('over JSON, in and out', async (test) => {
    const url = await serve(test, endpoint);
    const call = async (name: string, given: string) => {
      const response = await fetch(`${url}/Weather.asmx/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: given,
      });
      return [response.status, await response.text()];
    };
    assert.deepEqual(await call('Sum', '{"numbers":[1,41]}'), [200, '{"d":42}']);
    const value =
      '{"text":"a","flag":true,"big":9007199254740993,"amount":1.10,"ratio":"INF","at":"\\/Date(1709208000000)\\/","id":"6f9619ff-8b86-d011-b42d-00cf4fc964ff","bytes":"AQID","days":["Monday","Friday"],"numbers":[1,2],"maybe":[1,null],"animals":[{"__type":"Animal","name":"a"},{"__type":"Dog","name":"b","barks":true}],"extra":null,"thing":null}';
    assert.deepEqual(await call('Echo', `{"value":${value}}`), [200, `{"d":${value}}`]);
    assert.deepEqual(await call('TryParse', '{"text":"1","value":2}'), [
      200,
      '{"d":{"TryParseResult":true,"value":3,"rest":""}}',
    ]);
  });

  it('data sets, as .NET writes them', async (test) => {
    const url = await serve(test, endpoint);
    const data =
      '<xs:schema id="Shop" xmlns="" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:msdata="urn:schemas-microsoft-com:xml-msdata"><xs:element name="Shop" msdata:IsDataSet="true" msdata:UseCurrentLocale="true"><xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="Item"><xs:complexType><xs:sequence><xs:element name="Id" type="xs:int" minOccurs="0" /><xs:element name="Unit_x0020_Price" type="xs:decimal" minOccurs="0" /></xs:sequence></xs:complexType></xs:element></xs:choice></xs:complexType></xs:element></xs:schema>' +
      '<diffgr:diffgram xmlns:msdata="urn:schemas-microsoft-com:xml-msdata" xmlns:diffgr="urn:schemas-microsoft-com:xml-diffgram-v1"><Shop xmlns=""><Item diffgr:id="Item1" msdata:rowOrder="0"><Id>1</Id><Unit_x0020_Price>9.90</Unit_x0020_Price></Item><Item diffgr:id="Item2" msdata:rowOrder="1"><Id>2</Id></Item></Shop></diffgr:diffgram>';
    const answer = await soap(
      `${url}/Weather.asmx`,
      `<Data xmlns="${NS}"><data>${data}</data></Data>`,
    );
    // Namespaces are declared where they are used, and first.
    const written = data
      .replace(
        ' id="Shop" xmlns="" xmlns:xs="http://www.w3.org/2001/XMLSchema"',
        ' xmlns="" xmlns:xs="http://www.w3.org/2001/XMLSchema" id="Shop"',
      )
      .replace(
        ' xmlns:msdata="urn:schemas-microsoft-com:xml-msdata"><xs:element',
        '><xs:element xmlns:msdata="urn:schemas-microsoft-com:xml-msdata"',
      );
    assert.equal(
      answer.body,
      `<DataResponse xmlns="${NS}"><DataResult>${written}</DataResult></DataResponse>`,
    );
  });
});

describe('what cannot be served', () => {
  const handlers = { A: () => '' };
  const make = (parts: object) => () =>
    createEndpoint(
      {
        name: 'X',
        operations: [{ name: 'A', documentation: '', parameters: [], result: 'string', ...parts }],
      } as never,
      { handlers: handlers as never, namespace: 'urn:x', path: '/x.asmx' },
    );

  it('is a TypeError with the path of the wrong member', () => {
    const parameter = (type: unknown) =>
      make({ parameters: [{ name: 'p', type, documentation: '', sample: '' }] });
    assert.throws(parameter('dubble'), {
      name: 'TypeError',
      message: 'operations.A.parameters.p: there is no type "dubble".',
    });
    assert.throws(parameter({ ref: 'Gone' }), {
      message: 'operations.A.parameters.p: there is no type "Gone" among the types.',
    });
    assert.throws(make({ result: 'nothing' }), {
      message: 'operations.A.AResult: there is no type "nothing".',
    });
    assert.throws(make({ oneWay: true }), {
      message: 'operations.A.oneWay: a one-way operation has no result.',
    });
    assert.throws(make({ name: 'B' }), {
      name: 'TypeError',
      message: 'handlers.B: there must be a function.',
    });
    const loop = {
      service: {
        name: 'X',
        namespace: 'urn:x',
        operations: [],
        types: { A: { kind: 'object', name: 'A', extends: 'A' } },
      },
    };
    assert.throws(() => createEndpoint(loop.service as never, { path: '/x', handlers: {} }), {
      message: 'types.A.extends: the type extends itself.',
    });
  });
});
