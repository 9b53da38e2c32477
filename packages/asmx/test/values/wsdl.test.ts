import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClientAsync } from 'soap';
import { servedContract } from '../../../asmx-tools/src/from/served-contract.ts';
import { createEndpoint, type Service, typedService } from '../../src/index.ts';
import { serve, soap } from './kit.ts';
import { endpoint, NS } from './sample.ts';
import { answerValidator } from './schema-kit.ts';

describe('the WSDL of objects', () => {
  let wsdl = '';
  before(async () => {
    const url = await serve({ after }, endpoint);
    wsdl = await (await fetch(`${url}/Weather.asmx?WSDL`)).text();
  });
  const has = (...lines: string[]) => {
    const found = wsdl.replaceAll(/\r\n */g, '');
    for (const line of lines) assert.ok(found.includes(line), `${line}\nis not in\n${wsdl}`);
  };

  it('says occurrences as ASMX does: by whether .NET’s type may be null', () => {
    has(
      '<s:element minOccurs="0" maxOccurs="1" name="text" type="s:string" /><s:element minOccurs="1" maxOccurs="1" name="flag" type="s:boolean" />',
      '<s:element minOccurs="1" maxOccurs="1" name="low" nillable="true" type="s:int" />',
      '<s:element minOccurs="1" maxOccurs="1" name="condition" type="tns:Condition" />',
      '<s:element minOccurs="0" maxOccurs="unbounded" name="numbers" type="s:int" />',
    );
  });

  it('names lists after their items, and nils those that may be null', () => {
    has(
      '<s:complexType name="ArrayOfForecast"><s:sequence><s:element minOccurs="0" maxOccurs="unbounded" name="Forecast" nillable="true" type="tns:Forecast" /></s:sequence></s:complexType>',
      '<s:complexType name="ArrayOfInt"><s:sequence><s:element minOccurs="0" maxOccurs="unbounded" name="int" type="s:int" /></s:sequence></s:complexType>',
      '<s:complexType name="ArrayOfNullableOfInt"><s:sequence><s:element minOccurs="0" maxOccurs="unbounded" name="int" nillable="true" type="s:int" />',
    );
  });

  it('has enumerations, inheritance, simple content, attributes, DataSet, XmlElement and guid', () => {
    has(
      '<s:simpleType name="Condition"><s:restriction base="s:string"><s:enumeration value="Sunny" />',
      '<s:simpleType name="Days"><s:list><s:simpleType><s:restriction base="s:string">',
      '<s:complexType name="Dog"><s:complexContent mixed="false"><s:extension base="tns:Animal"><s:sequence><s:element minOccurs="1" maxOccurs="1" name="barks" type="s:boolean" />',
      '<s:complexType name="Temperature"><s:simpleContent><s:extension base="s:decimal"><s:attribute name="unit" type="s:string" />',
      '<s:element minOccurs="0" maxOccurs="1" name="DataResult"><s:complexType><s:sequence><s:element ref="s:schema" /><s:any />',
      '<s:element minOccurs="0" maxOccurs="1" name="extra"><s:complexType mixed="true"><s:sequence><s:any />',
      '<s:element minOccurs="0" maxOccurs="1" name="thing" />',
      '<s:schema elementFormDefault="qualified" targetNamespace="http://microsoft.com/wsdl/types/">',
    );
  });

  it('has headers, faults, one-way operations, and forms where they can call', () => {
    has(
      '<wsdl:message name="GetForecastAuthHeader"><wsdl:part name="AuthHeader" element="tns:AuthHeader" /></wsdl:message>',
      '<soap:header message="tns:GetForecastAuthHeader" part="AuthHeader" use="literal" />',
      '<wsdl:fault name="Broken"><soap:fault name="Broken" use="literal" /></wsdl:fault>',
      '<wsdl:message name="SumHttpGetIn">',
    );
    assert.ok(!wsdl.includes('EchoHttpGetIn'));
    assert.ok(!wsdl.includes('NotifySoapOut'));
  });

  it('is what the answers are valid by', async (test) => {
    const url = await serve(test, endpoint);
    const isValid = answerValidator(wsdl);
    const forecast = await soap(
      `${url}/Weather.asmx`,
      `<GetForecast xmlns="${NS}"><days>2</days><city>Rome</city></GetForecast>`,
    );
    assert.deepEqual(isValid(forecast.body), []);
    const echo = await soap(
      `${url}/Weather.asmx`,
      `<Echo xmlns="${NS}"><value><days>Monday</days><maybe><int xsi:nil="true"/></maybe><animals><Animal xsi:type="Dog"/></animals><extra><x xmlns=""/></extra></value></Echo>`,
    );
    assert.deepEqual(isValid(echo.body), []);
    assert.notDeepEqual(
      isValid(`<SumResponse xmlns="${NS}"><SumResult>x</SumResult></SumResponse>`),
      [],
    );
  });

  it('has a choice by itself or among others, and refers to the attributes of XML without declaring them', async (test) => {
    const left = { name: 'left', type: 'int' } as const;
    const right = { name: 'right', type: 'string' } as const;
    const choice = { kind: 'choice', content: [left, right] } as const;
    const contract: Service = {
      name: 'Choices',
      namespace: NS,
      types: {
        Alone: { kind: 'object', name: 'Alone', content: [choice] },
        Among: {
          kind: 'object',
          name: 'Among',
          content: [choice, { name: 'behind', type: 'int' }],
        },
        Said: {
          kind: 'object',
          name: 'Said',
          attributes: [
            { name: 'lang', namespace: 'http://www.w3.org/XML/1998/namespace', type: 'language' },
          ],
        },
      },
      operations: ['Alone', 'Among', 'Said'].map((name) => ({
        name,
        documentation: '',
        parameters: [{ name: 'value', type: { ref: name }, documentation: '', sample: '' }],
        result: 'int',
      })),
    };
    const zero = () => 0;
    const made = createEndpoint(
      typedService<Record<string, { input: object; result: number }>>(contract),
      {
        path: '/Choices.asmx',
        handlers: { Alone: zero, Among: zero, Said: zero },
      },
    );
    const written = (
      await (await fetch(`${await serve(test, made)}/Choices.asmx?WSDL`)).text()
    ).replaceAll(/\r\n */g, '');
    const members =
      '<s:choice><s:element minOccurs="1" maxOccurs="1" name="left" type="s:int" /><s:element minOccurs="0" maxOccurs="1" name="right" type="s:string" /></s:choice>';
    const behind = '<s:element minOccurs="1" maxOccurs="1" name="behind" type="s:int" />';
    for (const line of [
      `<s:complexType name="Alone">${members}</s:complexType>`,
      `<s:complexType name="Among"><s:sequence>${members}${behind}</s:sequence></s:complexType>`,
      '<s:complexType name="Said"><s:attribute ref="xml:lang" /></s:complexType>',
    ])
      assert.ok(written.includes(line), `${line}\nis not in\n${written}`);
    assert.ok(!written.includes('targetNamespace="http://www.w3.org/XML/1998/namespace"'));
  });

  it('tells operations of one name apart, over GET and POST, too', async () => {
    const add = (name: string, ...parameters: readonly string[]) => ({
      name,
      ...(name === 'Add' ? {} : { operationName: 'Add' }),
      documentation: '',
      parameters: parameters.map((each) => ({
        name: each,
        type: 'int' as const,
        documentation: '',
        sample: '1',
      })),
      result: 'int' as const,
    });
    const adding = {
      name: 'Adding',
      namespace: NS,
      operations: [add('Add', 'a', 'b'), add('AddThree', 'a', 'b', 'c')],
    };
    const { service } = await servedContract(adding, {
      namespace: NS,
      baseUrl: 'http://localhost',
      path: '/A.asmx',
    });
    assert.deepEqual(
      service.ports.map(({ kind, operations }) => [kind, ...operations]),
      ['soap11', 'soap12', 'get', 'post'].map((kind) => [kind, 'Add', 'AddThree']),
    );
  });

  it('is enough for npm’s soap', async (test) => {
    const url = await serve(test, endpoint);
    const client = await createClientAsync(`${url}/Weather.asmx?WSDL`);
    client.addSoapHeader({ AuthHeader: { user: 'eve' } }, '', 'tns', NS);
    const [forecast, , header] = await client.GetForecastAsync({ city: 'Rome', days: 1 });
    assert.equal(forecast.GetForecastResult.Forecast[0].attributes.station, 'Rome&');
    assert.deepEqual(forecast.GetForecastResult.Forecast[0].hours.int, [1, 2]);
    assert.equal(header.Trace.id, 'eve');
    const [sum] = await client.SumAsync({ numbers: { int: [40, 2] } });
    assert.equal(Number(sum.SumResult), 42);
    const [tried] = await client.TryParseAsync({ text: '40', value: 2 });
    assert.equal(tried.value, 42);
    await assert.rejects(
      client.FailAsync({ what: 'detail' }),
      (error: {
        root?: { Envelope: { Body: { Fault: { detail: { BrokenDetail: { part: string } } } } } };
      }) => {
        assert.equal(error.root?.Envelope.Body.Fault.detail.BrokenDetail.part, 'wheel');
        return true;
      },
    );
  });
});
