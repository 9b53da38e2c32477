import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { oldCalls, readWsdl, readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';

/** Names of the calls in which a value was not the same on both sides. */
async function lost(
  old: Parameters<typeof oldCalls>[0],
  served = engineService(old),
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, run } of oldCalls(old, served, '/Old.asmx')) {
    try {
      const { sent, received, answered, read } = await run();
      assert.deepEqual(received, sent);
      assert.deepEqual(read, answered);
    } catch {
      found.push(name);
    }
  }
  return found;
}

for (const file of ['dotnet/orders.wsdl', 'dotnet/customers.wsdl', 'kit/every-construct.wsdl'])
  test(`an old client calls each operation of ${file}, in each way, and no value is lost`, async () => {
    const { service } = await readWsdl(fileURLToPath(new URL(file, import.meta.url)));
    const calls = oldCalls(service, engineService(service), '/Old.asmx');
    const called = new Set(calls.map(({ name }) => name));
    assert.deepEqual(
      service.operations.filter(({ name }) => !called.has(name)),
      [],
    );
    assert.deepEqual(
      calls.filter(({ skip }) => skip !== false).map(({ name }) => name),
      [],
    );
    assert.deepEqual(await lost(service), []);
  });

test('a member of a type that is called otherwise now is lost in each message that has it', async () => {
  const wsdl = wsdlOf({
    schema: `<s:complexType name="Order"><s:sequence><s:element name="id" type="s:int"/></s:sequence></s:complexType>
      <s:element name="Gone" type="t:Order"/>`,
    asks: '<s:element name="order" type="t:Order"/>',
    answers: '<s:element name="AskResult" type="s:string"/>',
    portOperation: `<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/>
      <wsdl:fault name="Gone" message="t:Gone"/></wsdl:operation>`,
    more: '<wsdl:message name="Gone"><wsdl:part name="fault" element="t:Gone"/></wsdl:message>',
  });
  const { service } = await readWsdlText(wsdl, 'old.wsdl');
  assert.deepEqual(await lost(service), []);
  const other = await readWsdlText(wsdl.replace('name="id"', 'name="Id"'), 'new.wsdl');
  const served = engineService(other.service);
  assert.deepEqual(await lost(service, served), ['Ask', 'Ask with the fault Gone']);
});
