import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createEndpoint } from '../../../asmx/src/index.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { readWsdl } from '../../src/from/index.ts';
import { asmx, place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';

/** A policy and a comment, which no generated WSDL has. */
const WSDL = wsdlOf({
  schemas:
    '<s:schema><s:import namespace="urn:other" schemaLocation="types/own types.xsd"/></s:schema>',
  asks: '<s:element name="f" type="u:F"/>',
  more: '<!-- as it was --><p:Policy xmlns:p="http://www.w3.org/ns/ws-policy"/>',
}).replace('Old.asmx"', 'Old.svc"');
const TYPES = `<?xml version='1.0'?>
<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:other">
  <s:include schemaLocation='more.xsd'/><s:simpleType name="F"><s:restriction base="s:string"/></s:simpleType>
</s:schema>`;
const MORE =
  '<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:other"><!-- é --></s:schema>';

test('the old WSDL and its schemas are served word for word, but for the locations', async (t) => {
  const folder = await place(t);
  await mkdir(join(folder, 'types'));
  await writeFile(join(folder, 'old.wsdl'), WSDL);
  await writeFile(join(folder, 'types', 'own types.xsd'), TYPES);
  await writeFile(join(folder, 'types', 'more.xsd'), MORE);
  const made = await asmx(
    'from',
    join(folder, 'old.wsdl'),
    join(folder, 'new'),
    '--serve-original',
  );
  assert.equal(made.code, 0, made.stderr);
  const project = join(folder, 'new');
  assert.match(await readFile(join(project, 'src', 'service.ts'), 'utf8'), /documents: ORIGINALS,/);
  assert.equal(await readFile(join(project, 'old', 'original', 'old.wsdl'), 'utf8'), WSDL);
  const { ORIGINALS } = await import(pathToFileURL(join(project, 'src', 'originals.ts')).href);
  const { service } = await readWsdl(join(folder, 'old.wsdl'));
  const endpoint = createEndpoint(engineService(service), {
    path: '/Old.svc',
    handlers: { Ask: () => undefined } as never,
    documents: ORIGINALS,
  });
  const url = `${await serve(t, endpoint)}/Old.svc`;
  const get = async (query: string) => {
    const answer = await fetch(`${url}?${query}`);
    assert.equal(answer.status, 200, query);
    return answer.text();
  };
  const types = `${url}?xsd=own-20types.xsd`;
  assert.equal(
    await get('wsdl'),
    WSDL.replace('http://old.example/Old.svc', url).replace('types/own types.xsd', types),
  );
  assert.equal(
    await get('XSD=own-20types.xsd'),
    TYPES.replace("'more.xsd'", `"${url}?xsd=more.xsd"`),
  );
  assert.equal(await get('xsd=more.xsd'), MORE);
  // One document with everything is generated still.
  assert.match(await get('singleWsdl'), /<s:element minOccurs="1" maxOccurs="1" [^>]*name="f"/);
});

test('documents of an address keep the queries that asked for them', async (t) => {
  const folder = await place(t);
  const old = createEndpoint(
    { name: 'Old', namespace: 'urn:old', operations: [] },
    { path: '/Old.svc', handlers: {}, documents: { wsdl: { text: '' } } },
  );
  assert.ok(old);
  let origin = '';
  const documents = {
    get wsdl() {
      return { text: WSDL.replace('types/own types.xsd', `${origin}/Old.svc?xsd=xsd0`) };
    },
    'xsd=xsd0': {
      text: MORE.replace(
        '<!-- é -->',
        '<s:simpleType name="F"><s:restriction base="s:string"/></s:simpleType>',
      ),
    },
  };
  const late = {
    paths: old.paths,
    arriving: old.arriving,
    connected: old.connected,
    openApi: old.openApi,
    request: (request: Parameters<typeof old.request>[0]) =>
      createEndpoint(
        { name: 'Old', namespace: 'urn:old', operations: [] },
        { path: '/Old.svc', handlers: {}, documents },
      ).request(request),
  };
  origin = await serve(t, late);
  const made = await asmx(
    'from',
    `${origin}/Old.svc?wsdl`,
    join(folder, 'new'),
    '--serve-original',
  );
  assert.equal(made.code, 0, made.stderr);
  const source = await readFile(join(folder, 'new', 'src', 'originals.ts'), 'utf8');
  assert.match(source, /'xsd=xsd0': \{/);
  assert.ok(source.includes(`'${origin}/Old.svc?xsd=xsd0': '/Old.svc?xsd=xsd0'`), source);
});
