import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypeOf, withMediaType } from '../../../asmx/src/index.ts';
import { answerParts, multipart } from '../../../asmx/test/values/kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { createSoapClient, type TypedService } from '../../src/soap/index.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const part = (name: string, ...types: readonly string[]) =>
  `<mime:part>${types.map((type) => `<mime:content part="${name}" type="${type}"/>`).join('')}</mime:part>`;
const bound = (body: string, input: string, output: string) =>
  `<wsdl:input><mime:multipartRelated><mime:part>${body}</mime:part>${input}</mime:multipartRelated></wsdl:input>
   <wsdl:output><mime:multipartRelated><mime:part>${body}</mime:part>${output}</mime:multipartRelated></wsdl:output>`;
const SWA = 'xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd"';
const message = (name: string, parts: string) =>
  `<wsdl:message name="${name}">${parts}</wsdl:message>`;

/** As JAX-WS, Axis and CXF describe it, in each style. */
const SHAPES: Readonly<Record<string, Shape>> = {
  wrapped: {
    asks: `<s:element name="title" type="s:string"/><s:element name="form" type="r:swaRef" minOccurs="0" ${SWA}/>`,
    answers: `<s:element name="form" type="r:swaRef" minOccurs="0" ${SWA}/>`,
    messages:
      message(
        'In',
        '<wsdl:part name="parameters" element="t:Ask"/><wsdl:part name="photo" type="s:hexBinary"/>',
      ) +
      message(
        'Out',
        '<wsdl:part name="parameters" element="t:AskResponse"/><wsdl:part name="photo" type="s:hexBinary"/>',
      ),
    bound: bound(
      '<soap:body parts="parameters" use="literal"/>',
      part('photo', 'image/jpeg', 'image/png'),
      part('photo', 'image/*'),
    ),
  },
  rpc: {
    style: 'rpc',
    messages:
      message(
        'In',
        `<wsdl:part name="photo" type="s:base64Binary"/><wsdl:part name="title" type="s:string"/>
         <wsdl:part name="form" type="r:swaRef" ${SWA}/>`,
      ) +
      message(
        'Out',
        `<wsdl:part name="form" type="r:swaRef" ${SWA}/><wsdl:part name="photo" type="s:base64Binary"/>`,
      ),
    bound: bound(
      '<soap:body use="literal" namespace="urn:old"/>',
      part('photo', '*/*'),
      part('photo', '*/*'),
    ),
  },
};

for (const [style, shape] of Object.entries(SHAPES)) {
  test(`attachments of ${style} style are parameters and results, and swaRef is bytes`, async (t) => {
    const old = await readWsdlText(wsdlOf(shape), 'old.wsdl');
    assert.deepEqual(old.leftOut, []);
    const seen: unknown[] = [];
    const url = await served(t, wsdlOf(shape), {
      Ask: (input) => {
        const { title, form, photo } = input as Record<string, Uint8Array>;
        const text = (bytes: Uint8Array) => `${mediaTypeOf(bytes)} ${Buffer.from(bytes)}`;
        seen.push([title, text(form!), text(photo!)]);
        return { value: form, out: { photo } };
      },
    });
    const inside = '<title>t</title><form>cid:f</form>';
    const body =
      style === 'rpc'
        ? `<m:Ask xmlns:m="urn:old">${inside}</m:Ask>`
        : `<Ask xmlns="urn:old">${inside}</Ask>`;
    const answer = await multipart(url, body, {
      parts: [
        ['photo=1', 'image/png', 'P'],
        ['f', 'text/plain', 'F'],
      ],
    });
    const expected = ['t', 'text/plain F', 'image/png P'];
    assert.deepEqual(seen.pop(), expected);
    const { envelope, files } = answerParts(answer);
    assert.match(envelope, /<form>cid:file0@asmx<\/form>/);
    assert.deepEqual(
      files.map(({ type, content }) => [type, content]),
      [
        ['text/plain', 'F'],
        ['image/png', 'P'],
      ],
    );
    // Our own client, with the contract.
    const client = createSoapClient(
      engineService(old.service) as TypedService<{ Ask: { input: object } }>,
      { url },
    );
    const bytes = (text: string, type: string) => withMediaType(Buffer.from(text), type);
    const input = {
      title: 't',
      form: bytes('F', 'text/plain'),
      photo: bytes('P', 'image/png'),
    };
    const got = (await client.$call('Ask', input)).result as {
      value: Uint8Array;
      out: { photo: Uint8Array };
    };
    assert.deepEqual(seen.pop(), expected);
    const { value, out } = got;
    assert.deepEqual([`${Buffer.from(value)}`, `${Buffer.from(out.photo)}`], ['F', 'P']);
    assert.deepEqual([mediaTypeOf(value), mediaTypeOf(out.photo)], ['text/plain', 'image/png']);
    // The WSDL that is served says the same.
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    const own = await readWsdlText(wsdl, 'own.wsdl');
    assert.deepEqual(compare(old.service, own.service).differences, []);
    const photo = ({ service }: typeof own) =>
      service.operations[0]!.parameters.find(({ name }) => name === 'photo')?.attachment;
    assert.deepEqual(photo(own), photo(old));
    const without = wsdl.replaceAll(/<mime:content part="photo" type="image\/png" \/>/g, '');
    if (without !== wsdl) {
      const other = await readWsdlText(without, 'other.wsdl');
      assert.equal(compare(old.service, other.service).same, false);
    }
  });
}

test('a message whose body is empty is known by its SOAPAction', async (t) => {
  const shape: Shape = {
    messages: message('In', '<wsdl:part name="photo" type="s:string"/>') + message('Out', ''),
    bound: `<wsdl:input><mime:multipartRelated><mime:part><soap:body parts="" use="literal"/></mime:part>
      ${part('photo', 'text/plain')}
      </mime:multipartRelated></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>`,
  };
  let got = '';
  const url = await served(t, wsdlOf(shape), {
    Ask: ({ photo }) => {
      got = String(Buffer.from(photo as Uint8Array));
    },
  });
  const answer = await multipart(url, '', { parts: [['photo=1', 'text/plain', 'P']] });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(got, 'P');
});
