import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../asmx/src/index.ts';
import { soap } from '../../../asmx/test/values/kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { createSoapClient } from '../../src/soap/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served, servedAlike } from './kit/served.ts';

const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
const encoded = `use="encoded" namespace="urn:head" encodingStyle="${ENCODING}"`;

const BLOCKS = ['Auth', 'Trace', 'Denied'] as const;

/** A service whose body, headers and fault are each in one use. */
function wsdlIn(body: 'encoded' | 'literal', block: 'encoded' | 'literal'): string {
  const part = (name: string) =>
    block === 'encoded' ? `name="${name}" type="t:User"` : `name="${name}" element="t:${name}"`;
  const said = (kind: string, name: string) => {
    const use = block === 'encoded' ? encoded : 'use="literal"';
    return kind === 'fault'
      ? `<soap:fault name="${name}" ${use}/>`
      : `<soap:header message="t:${name}" part="${name}" ${use}/>`;
  };
  const message =
    body === 'encoded'
      ? `<soap:body use="encoded" namespace="urn:body" encodingStyle="${ENCODING}"/>`
      : '<soap:body use="literal" namespace="urn:body"/>';
  const elements = BLOCKS.map((name) => `<s:element name="${name}" type="t:User"/>`);
  const messages = BLOCKS.map(
    (name) => `<wsdl:message name="${name}"><wsdl:part ${part(name)}/></wsdl:message>`,
  );
  return wsdlOf({
    style: 'rpc',
    schema: `<s:complexType name="User"><s:sequence><s:element name="name" type="s:string"/>
      <s:element name="groups" type="s:int" minOccurs="0" maxOccurs="unbounded"/></s:sequence></s:complexType>
      ${elements.join('')}`,
    messages: `<wsdl:message name="In"><wsdl:part name="what" type="s:string"/></wsdl:message><wsdl:message name="Out"/>
      ${messages.join('')}`,
    portOperation:
      '<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/>' +
      '<wsdl:fault name="Denied" message="t:Denied"/></wsdl:operation>',
    bound: `<wsdl:input>${message}${said('header', 'Auth')}</wsdl:input>
      <wsdl:output>${message}${said('header', 'Trace')}</wsdl:output>
      <wsdl:fault name="Denied">${said('fault', 'Denied')}</wsdl:fault>`,
  });
}

const USER = { name: 'ann', groups: [1, 2] };
const typed = (type: string) => `xsi:type="xsd:${type}"`;

for (const body of ['encoded', 'literal'] as const)
  for (const block of ['encoded', 'literal'] as const)
    test(`${block} headers and faults of an operation that is ${body}`, async (t) => {
      const { service } = await readWsdlText(wsdlIn(body, block), 'old.wsdl');
      const contract = engineService(service);
      const seen: unknown[] = [];
      const url = await served(t, wsdlIn(body, block), {
        Ask: ({ what }, call) => {
          seen.push((call.headers as { Auth?: unknown }).Auth);
          Object.assign(call.reply.headers, { Trace: USER });
          if (what === 'fail') throw new ServiceError('Denied', 'No.', { detail: USER });
        },
      });
      const space = block === 'encoded' ? 'urn:head' : 'urn:old';
      const members = `<name>ann</name><groups>1</groups><groups>2</groups>`;
      const qualified = `<h:Auth xmlns:h="${space}" xmlns="urn:old">${members}</h:Auth>`;
      const call = '<b:Ask xmlns:b="urn:body"><what>x</what></b:Ask>';
      const requests =
        block === 'literal'
          ? [{ header: qualified, body: call }]
          : [
              { header: qualified, body: call },
              { header: `<h:Auth xmlns:h="${space}">${members}</h:Auth>`, body: call },
            ];
      // As Axis 1 writes what has an identity; of a literal body nothing can be referred to.
      const referring = {
        header: `<h:Auth xmlns:h="${space}" href="#id0"/>`,
        body: `${call}<multiRef id="id0">${members}</multiRef>`,
      };
      if (block === 'encoded' && body === 'encoded') requests.push(referring);
      const member = (name: string, type: string, text: string) =>
        block === 'encoded'
          ? `<${name} xmlns="" ${typed(type)}>${text}</${name}>`
          : `<${name}>${text}</${name}>`;
      const answered =
        member('name', 'string', 'ann') +
        member('groups', 'int', '1') +
        member('groups', 'int', '2');
      for (const request of requests) {
        const answer = await soap(url, request.body, {
          action: 'urn:old/Ask',
          header: request.header,
        });
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(seen.pop(), USER, request.header);
        assert.equal(answer.headers.get('x-warning'), null, request.header);
        assert.ok(answer.header?.startsWith(`<Trace xmlns="${space}"`), answer.text);
        assert.ok(answer.header?.endsWith(`>${answered}</Trace>`), answer.text);
      }
      const fault = await soap(url, call.replace('>x<', '>fail<'), { action: 'urn:old/Ask' });
      const detail = /<detail>(.*)<\/detail>/.exec(fault.text)?.[1] ?? fault.text;
      assert.ok(detail.startsWith(`<Denied xmlns="${space}"`), detail);
      assert.ok(detail.endsWith(`>${answered}</Denied>`), detail);
      const client = createSoapClient<never>(contract, { url }) as unknown as {
        $call(name: string, input: object, options: object): Promise<{ soapHeaders: object }>;
        Ask(input: object): Promise<unknown>;
      };
      const { soapHeaders } = await client.$call(
        'Ask',
        { what: 'x' },
        { soapHeaders: { Auth: USER } },
      );
      assert.deepEqual(soapHeaders, { Trace: USER });
      assert.deepEqual(seen.pop(), USER);
      await assert.rejects(client.Ask({ what: 'fail' }), { fault: 'Denied', detail: USER });
      await servedAlike(service);
      const other = await readWsdlText(
        wsdlIn(body, block === 'encoded' ? 'literal' : 'encoded'),
        'other.wsdl',
      );
      const differences = compare(service, other.service).differences;
      assert.equal(differences.filter(({ aspect }) => aspect === 'style').length, 3);
    });
