import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pluck } from '../../../asmx/test/kit/pluck.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

async function operationOf(shape: Shape) {
  return (await readWsdlText(wsdlOf(shape), 'old.wsdl')).service.operations[0]!;
}

const URN = 'urn:old';
const parts = (input: string, output: string) =>
  `<wsdl:message name="In">${input}</wsdl:message><wsdl:message name="Out">${output}</wsdl:message>`;

describe('operations', () => {
  test('references without a prefix, in a document whose default namespace is that of WSDL', async () => {
    const unprefixed = wsdlOf({ asks: '<s:element name="a" type="s:int"/>' })
      .replace('<wsdl:definitions', '<wsdl:definitions xmlns="http://schemas.xmlsoap.org/wsdl/"')
      .replace(/ (message|binding)="t:/g, ' $1="')
      .replace(/(<wsdl:binding [^>]*type=")t:/g, '$1');
    assert.doesNotMatch(unprefixed, / (message|binding)="t:|<wsdl:binding [^>]*type="t:/);
    const { service } = await readWsdlText(unprefixed, 'old.wsdl');
    assert.deepEqual(pluck(service.operations, 'name'), ['Ask']);
  });

  test('document/literal wrapped: parameters, result, out parameters, action', async () => {
    const operation = await operationOf({
      asks: '<s:element name="a" type="s:int"/><s:element name="b" minOccurs="0" type="s:string"/>',
      answers:
        '<s:element name="AskResult" type="s:int"/><s:element name="b" minOccurs="0" type="s:string"/>',
    });
    assert.equal(operation.style, 'wrapped');
    assert.equal(operation.action, 'urn:old/Ask');
    const part = 'parameters';
    assert.deepEqual(operation.input, { name: 'Ask', namespace: URN, message: 'In', part });
    const output = { name: 'AskResponse', namespace: URN, message: 'Out', part };
    assert.deepEqual(operation.output, output);
    assert.deepEqual(
      operation.parameters.map(({ name, min }) => [name, min]),
      [
        ['a', 1],
        ['b', 0],
      ],
    );
    assert.equal(operation.result?.name, 'AskResult');
    assert.deepEqual(pluck(operation.out, 'name'), ['b']);
  });

  test('a response without children is void, one without output is one-way', async () => {
    assert.equal((await operationOf({})).result, undefined);
    const oneWay = await operationOf({
      portOperation: '<wsdl:operation name="Ask"><wsdl:input message="t:In"/></wsdl:operation>',
    });
    assert.equal(oneWay.output, undefined);
  });

  test('document/literal with an empty request: bare without a parameter, known by its action', async () => {
    const operation = await operationOf({
      schema: '<s:element name="Count" type="s:int"/>',
      messages: parts('', '<wsdl:part name="y" element="t:Count"/>'),
    });
    assert.equal(operation.style, 'bare');
    assert.deepEqual(operation.parameters, []);
    assert.equal(operation.action, 'urn:old/Ask');
    assert.equal(operation.result?.name, 'Count');
  });

  test('document/literal bare: an element that is no wrapper is one value', async () => {
    const operation = await operationOf({
      schema: '<s:element name="Text" type="s:string"/><s:element name="Count" type="s:int"/>',
      messages: parts(
        '<wsdl:part name="x" element="t:Text"/>',
        '<wsdl:part name="y" element="t:Count"/>',
      ),
    });
    assert.equal(operation.style, 'bare');
    assert.deepEqual(operation.parameters, [
      { name: 'Text', namespace: URN, type: 'string', min: 1, max: 1 },
    ]);
    assert.deepEqual(operation.result, {
      name: 'Count',
      namespace: URN,
      type: 'int',
      min: 1,
      max: 1,
    });
  });

  test('rpc/literal and rpc/encoded: parts are unqualified elements in the namespace that the binding says', async () => {
    for (const use of ['literal', 'encoded'] as const) {
      const body = `<soap:body use="${use}" namespace="urn:wrapper"/>`;
      const operation = await operationOf({
        style: 'rpc',
        messages: parts(
          '<wsdl:part name="a" type="s:int"/>',
          '<wsdl:part name="return" type="s:string"/><wsdl:part name="b" type="s:int"/>',
        ),
        bound: `<wsdl:input>${body}</wsdl:input><wsdl:output>${body}</wsdl:output>`,
      });
      assert.equal(operation.style, 'rpc');
      assert.equal(operation.use, use);
      const input = { name: 'Ask', namespace: 'urn:wrapper', message: 'In' };
      assert.deepEqual(operation.input, input);
      assert.deepEqual(operation.parameters, [
        { name: 'a', namespace: '', type: 'int', min: 1, max: 1 },
      ]);
      assert.equal(operation.result?.name, 'return');
      assert.equal(operation.out[0]?.name, 'b');
    }
  });

  test('headers of both directions, from the same message or another, and faults', async () => {
    const operation = await operationOf({
      schema:
        '<s:element name="Auth" type="s:string"/><s:element name="Left" type="s:int"/><s:element name="Bad" type="s:int"/>',
      messages: parts(
        '<wsdl:part name="parameters" element="t:Ask"/><wsdl:part name="auth" element="t:Auth"/>',
        '<wsdl:part name="parameters" element="t:AskResponse"/>',
      ),
      more: `<wsdl:message name="Left"><wsdl:part name="left" element="t:Left"/></wsdl:message>
        <wsdl:message name="Bad"><wsdl:part name="bad" element="t:Bad"/></wsdl:message>`,
      portOperation: `<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/>
        <wsdl:fault name="Bad" message="t:Bad"/></wsdl:operation>`,
      bound: `<wsdl:input><soap:header message="t:In" part="auth" use="literal"/><soap:body use="literal"/></wsdl:input>
        <wsdl:output><soap:body use="literal"/><soap:header message="t:Left" part="left" use="literal"/></wsdl:output>`,
    });
    assert.deepEqual(
      operation.headers.in.map(({ name, type }) => [name, type]),
      [['Auth', 'string']],
    );
    assert.deepEqual(
      operation.headers.out.map(({ name, type }) => [name, type]),
      [['Left', 'int']],
    );
    assert.deepEqual(
      operation.faults.map(({ name, element }) => [name, element.name]),
      [['Bad', 'Bad']],
    );
  });

  test('GET alone makes an operation of its parts', async () => {
    const { service } = await readWsdlText(
      wsdlOf({
        ports:
          '<wsdl:port name="OldGet" binding="t:OldGet"><http:address location="http://old.example/Old.asmx"/></wsdl:port>',
        messages: parts(
          '<wsdl:part name="a" type="s:string"/>',
          '<wsdl:part name="Body" element="t:Count"/>',
        ),
        schema: '<s:element name="Count" type="s:int"/>',
        more: `<wsdl:binding name="OldGet" type="t:OldSoap"><http:binding verb="GET"/><wsdl:operation name="Ask">
          <http:operation location="/Ask"/></wsdl:operation></wsdl:binding>`,
      }),
      'old.wsdl',
    );
    assert.deepEqual(
      service.ports.map(({ kind, location, operations }) => [kind, location, operations]),
      [['get', 'http://old.example/Old.asmx', ['Ask']]],
    );
    assert.deepEqual(
      service.operations[0]!.parameters.map(({ name, type }) => [name, type]),
      [['a', 'string']],
    );
    assert.equal(service.operations[0]!.result?.type, 'int');
  });

  test('overloads have the names of their inputs', async () => {
    const { service } = await readWsdlText(
      wsdlOf({
        schema:
          '<s:element name="Ask2"><s:complexType><s:sequence><s:element name="b" type="s:int"/></s:sequence></s:complexType></s:element>',
        messages: `${parts('<wsdl:part name="p" element="t:Ask"/>', '<wsdl:part name="p" element="t:AskResponse"/>')}
          <wsdl:message name="In2"><wsdl:part name="p" element="t:Ask2"/></wsdl:message>`,
        portOperation: `<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/></wsdl:operation>
          <wsdl:operation name="Ask"><wsdl:input name="Ask2" message="t:In2"/><wsdl:output name="Ask2" message="t:Out"/></wsdl:operation>`,
        bound: `</wsdl:operation><wsdl:operation name="Ask"><soap:operation soapAction="urn:old/Ask2"/><wsdl:input name="Ask2">
          <soap:body use="literal"/></wsdl:input><wsdl:output name="Ask2"><soap:body use="literal"/></wsdl:output>`,
      }),
      'old.wsdl',
    );
    assert.deepEqual(
      service.operations.map(({ name, operationName, parameters }) => [
        name,
        operationName,
        parameters.length,
      ]),
      [
        ['Ask', undefined, 0],
        ['Ask2', 'Ask', 1],
      ],
    );
  });
});

describe('what is passed over, with a line that says why', () => {
  const twice = (bound: string) =>
    `<wsdl:binding name="Two" type="t:OldSoap"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>${bound}</wsdl:binding>`;

  test('an operation whose attachment is no part of its message, while the others are served', async () => {
    const shape: Shape = {
      portOperation: `<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/></wsdl:operation>
        <wsdl:operation name="Upload"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/></wsdl:operation>`,
      more: twice(
        ['Ask', 'Upload']
          .map((name) => {
            const content =
              name === 'Upload'
                ? '<mime:part><mime:content part="photo" type="image/jpeg"/></mime:part>'
                : '';
            const input = `<mime:multipartRelated><mime:part><soap:body use="literal"/></mime:part>${content}</mime:multipartRelated>`;
            return `<wsdl:operation name="${name}"><soap:operation soapAction="urn:old/${name}"/><wsdl:input>${input}</wsdl:input>
              <wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>`;
          })
          .join(''),
      ),
      ports:
        '<wsdl:port name="Two" binding="t:Two"><soap:address location="http://old.example/Old.asmx"/></wsdl:port>',
    };
    const { service, leftOut, notes } = await readWsdlText(wsdlOf(shape), 'old.wsdl');
    assert.deepEqual(pluck(service.operations, 'name'), ['Ask']);
    assert.deepEqual(
      leftOut.map(({ operation, reason }) => ({ operation, reason })),
      [
        {
          operation: 'Upload',
          reason: "The attachment's part photo is not in the message In.",
        },
      ],
    );
    assert.ok(notes.includes(`The operation Upload is left out: ${leftOut[0]!.reason}`));
  });

  test('GET and POST at other paths than ASP.NET has, and parameters inside a path', async () => {
    const port = (name: string, verb: string, operation: string) =>
      `<wsdl:binding name="${name}" type="t:OldSoap"><http:binding verb="${verb}"/><wsdl:operation name="Ask">${operation}</wsdl:operation></wsdl:binding>`;
    const { service, notes } = await readWsdlText(
      wsdlOf({
        more:
          port(
            'Same',
            'POST',
            '<http:operation location="/Ask"/><wsdl:input><mime:content type="application/x-www-form-urlencoded"/></wsdl:input>',
          ) +
          port(
            'Other',
            'GET',
            '<http:operation location="/ask.php"/><wsdl:input><http:urlEncoded/></wsdl:input>',
          ) +
          port(
            'Inside',
            'GET',
            '<http:operation location="/Ask(city)"/><wsdl:input><http:urlReplacement/></wsdl:input>',
          ),
        ports: ['OldSoap', 'Same', 'Other', 'Inside']
          .map(
            (name) =>
              `<wsdl:port name="${name}" binding="t:${name}"><http:address location="http://old.example/Old"/></wsdl:port>`,
          )
          .join(''),
      }),
      'old.wsdl',
    );
    assert.deepEqual(
      service.ports.map(({ kind, operations }) => [kind, operations]),
      [
        ['soap11', ['Ask']],
        ['post', ['Ask']],
        ['get', []],
        ['get', []],
      ],
    );
    assert.deepEqual(notes, [
      'Ask is passed over at the port Other: Its path is /ask.php; operations of GET and POST are served at /Ask.',
      'Ask is passed over at the port Inside: Its parameters are parts of its path (http:urlReplacement), which is not served.',
    ]);
  });

  test('an operation that the binding has and the port type has not', async () => {
    const more =
      '<wsdl:operation name="More"><soap:operation/><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation>';
    const { service, notes } = await readWsdlText(
      wsdlOf().replace('</wsdl:binding>', `${more}$&`),
      'old.wsdl',
    );
    assert.deepEqual(pluck(service.operations, 'name'), ['Ask']);
    assert.deepEqual(notes, [
      'More is passed over at the port OldSoap: the port type OldSoap has it not.',
    ]);
  });

  test('a service without operations beside one that has some', async () => {
    const more = `<wsdl:portType name="None"/><wsdl:binding name="None" type="t:None">
      <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/></wsdl:binding>
      <wsdl:service name="Empty"><wsdl:port name="None" binding="t:None"><soap:address location="http://old.example/"/></wsdl:port></wsdl:service>`;
    const { service, notes } = await readWsdlText(wsdlOf({ more }), 'old.wsdl');
    assert.equal(service.name, 'Old');
    assert.deepEqual(notes, ['The service Empty is passed over: It has no operation.']);
  });

  test('that there is no service: port types with a binding are served', async () => {
    const standard = wsdlOf().replace(/<wsdl:service[\s\S]*<\/wsdl:service>/, '');
    const { service, notes } = await readWsdlText(standard, 'old.wsdl');
    assert.deepEqual(
      [service.name, service.operations.map(({ name }) => name)],
      ['OldSoap', ['Ask']],
    );
    assert.deepEqual(notes, ['It holds no service; its port type OldSoap is served as one.']);
  });
});

describe('what is refused, in one line with file, component and reason', () => {
  const refused: readonly (readonly [what: string, shape: Shape, line: RegExp])[] = [
    [
      'an unknown type',
      { asks: '<s:element name="p" type="t:Gone"/>' },
      /^old\.wsdl: element Ask\/p: The type Gone of the namespace urn:old is nowhere\.$/,
    ],
    [
      'an undeclared prefix',
      { asks: '<s:element name="p" type="zz:Gone"/>' },
      /^old\.wsdl: element Ask\/p: The prefix zz of zz:Gone is not declared\.$/,
    ],
    [
      'a type that XML Schema has not',
      { asks: '<s:element name="p" type="s:number"/>' },
      /: XML Schema has no type number\.$/,
    ],
    [
      'a count that is none',
      { asks: '<s:element name="p" minOccurs="some" type="s:int"/>' },
      /: element Ask\/p: minOccurs must be a whole number, not some\.$/,
    ],
    [
      'redefine',
      { schema: '<s:redefine schemaLocation="x.xsd"/>' },
      /: redefine: x\.xsd cannot be read: this document stands alone\.$/,
    ],
    [
      'an abstract element that nothing stands for',
      { schema: '<s:element name="h" abstract="true"/>', asks: '<s:element ref="t:h"/>' },
      /: The element h is abstract and nothing stands for it\.$/,
    ],
    [
      'a missing message',
      {
        portOperation: '<wsdl:operation name="Ask"><wsdl:input message="t:Gone"/></wsdl:operation>',
      },
      /: The message Gone is nowhere\.$/,
    ],
    [
      'several body parts in a document',
      {
        messages: parts(
          '<wsdl:part name="a" element="t:Ask"/><wsdl:part name="b" element="t:Ask"/>',
          '',
        ),
      },
      /^old\.wsdl: operation Ask: Two parts of its body have one name/,
    ],
    [
      'two parts of one name',
      { style: 'rpc', messages: parts('<wsdl:part name="a" type="s:int"/>'.repeat(2), '') },
      /: Two parts of its body have one name\. \(WS-I Basic Profile 1\.1, R2201\)$/,
    ],
    [
      'a notification',
      {
        portOperation: '<wsdl:operation name="Ask"><wsdl:output message="t:Out"/></wsdl:operation>',
      },
      /: It has no input: the server would call the client\. \(WS-I Basic Profile 1\.1, R2303\)$/,
    ],
    [
      'a service without a port that can be served',
      {
        ports: '<wsdl:port name="P" binding="t:Jms"/>',
        more: '<wsdl:binding name="Jms" type="t:OldSoap"><soap:binding transport="urn:jms"/></wsdl:binding>',
      },
      /^old\.wsdl: service Old: None of its ports can be served: The port P is passed over: its transport is urn:jms\.$/,
    ],
    [
      'a service without operations',
      { portOperation: '' },
      /^old\.wsdl: service Old: It has no operation\.$/,
    ],
  ];
  for (const [what, shape, line] of refused) {
    test(what, async () => {
      await assert.rejects(readWsdlText(wsdlOf(shape), 'old.wsdl'), (error: Error) => {
        assert.match(error.message, line);
        assert.ok(!error.message.includes('\n'));
        return error.name === 'WsdlError';
      });
    });
  }

  for (const [what, text, line] of [
    [
      'a page',
      '<html><body>No such service</body></html>',
      /^x: This is no WSDL 1\.1: its root is html\.$/,
    ],
    [
      'WSDL 2.0',
      '<description xmlns="http://www.w3.org/ns/wsdl"/>',
      /^x: This is WSDL 2\.0; only WSDL 1\.1 is read\.$/,
    ],
    ['broken XML', '<wsdl:definitions', /^x: .*Line 1, position/],
    [
      'a DTD',
      `<!DOCTYPE a [<!ENTITY b "c">]>${wsdlOf().replace(/^<\?.*\?>/, '')}`,
      /^x: DTD is prohibited/,
    ],
    [
      'neither a service nor a port type with an operation',
      wsdlOf({ portOperation: '' }).replace(/<wsdl:service[\s\S]*<\/wsdl:service>/, ''),
      /^x: It holds no service\.$/,
    ],
    [
      'no service',
      '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>',
      /^x: It holds no service\.$/,
    ],
  ] as const) {
    test(what, async () => {
      await assert.rejects(
        readWsdlText(text, 'x'),
        (error: Error) => line.test(error.message) || assert.fail(error.message),
      );
    });
  }
});
