import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createEndpoint, type DataSet, dataSet, operation, service } from '../../src/index.ts';
import { bodyOf, difference } from '../kit/xml-equal.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:shop';

async function shop(test: TestContext, answer: (data: DataSet) => DataSet) {
  const contract = service('Shop', {
    namespace: NS,
    operations: { Echo: operation({ input: { data: dataSet }, result: dataSet }) },
  });
  const seen: DataSet[] = [];
  const errors: string[] = [];
  const endpoint = createEndpoint(contract, {
    path: '/shop.asmx',
    handlers: {
      Echo: ({ data }) => {
        seen.push(data!);
        return answer(data!);
      },
    },
    onAnswered: ({ error }) => {
      if (error !== undefined) errors.push(String(error.cause));
    },
  });
  const url = `${await serve(test, endpoint)}/shop.asmx`;
  return {
    seen,
    errors,
    call: (data: string) => soap(url, `<Echo xmlns="${NS}"><data>${data}</data></Echo>`),
  };
}

const column = (name: string, type: string, more = '') =>
  `<xs:element name="${name}" type="xs:${type}" minOccurs="0" ${more}/>`;

const schema = (tables: string, more = '', of = '') =>
  `<xs:schema id="Shop" xmlns="" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:msdata="urn:schemas-microsoft-com:xml-msdata" ${of}><xs:element name="Shop" msdata:IsDataSet="true"><xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded">${tables}</xs:choice></xs:complexType>${more}</xs:element></xs:schema>`;

const table = (name: string, columns: string, attributes = '') =>
  `<xs:element name="${name}"><xs:complexType><xs:sequence>${columns}</xs:sequence>${attributes}</xs:complexType></xs:element>`;

const diffgram = (content: string) =>
  `<diffgr:diffgram xmlns:diffgr="urn:schemas-microsoft-com:xml-diffgram-v1" xmlns:msdata="urn:schemas-microsoft-com:xml-msdata">${content}</diffgr:diffgram>`;

const ITEMS = table(
  'Items',
  column('Id', 'int') + column('Name', 'string') + column('When', 'dateTime'),
);
const KEYS =
  '<xs:unique name="PK" msdata:PrimaryKey="true"><xs:selector xpath=".//Items"/><xs:field xpath="Id"/></xs:unique>';

const CHANGED = diffgram(
  `<Shop xmlns=""><Items diffgr:id="Items1" msdata:rowOrder="0"><Id>1</Id></Items>` +
    `<Items diffgr:id="Items2" msdata:rowOrder="1" diffgr:hasChanges="modified" diffgr:hasErrors="true"><Id>2</Id><Name>new</Name><When>2024-12-31T23:59:59.9999999+01:00</When></Items>` +
    `<Items diffgr:id="Items7" msdata:rowOrder="3" diffgr:hasChanges="inserted"><Id>4</Id></Items></Shop>` +
    `<diffgr:before><Items diffgr:id="Items3" diffgr:parentId="Shop1" msdata:rowOrder="2" xmlns=""><Id>3</Id><Name xml:space="preserve"> </Name></Items>` +
    `<Items diffgr:id="Items2" msdata:rowOrder="1" xmlns=""><Id>2</Id><Name>old</Name></Items></diffgr:before>` +
    `<diffgr:errors><Items diffgr:id="Items2" diffgr:Error="row" xmlns=""><Name diffgr:Error="cell"/></Items></diffgr:errors>`,
);

describe('a DataSet', () => {
  it('comes back with its states, rows from before, errors, keys and ids', async (test) => {
    const { call, seen } = await shop(test, (data) => ({ ...data }));
    const given = schema(ITEMS, KEYS) + CHANGED;
    const { status, text } = await call(given);
    assert.equal(status, 200, text);
    const [answer] = bodyOf(text)[0]!.children;
    const [sent] = bodyOf(
      `<x xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><r xmlns="">${given}</r></Body></x>`,
    );
    assert.equal(difference(sent!, answer!), undefined);
    assert.match(text, /<xs:unique name="PK" msdata:PrimaryKey="true">/);
    const { changes, tables } = seen[0]!;
    assert.deepEqual(
      changes?.map(({ row, state, before, error, columnErrors }) => [
        row,
        state,
        before?.Name,
        error,
        columnErrors,
      ]),
      [
        [2, 'inserted', undefined, undefined, undefined],
        [undefined, 'deleted', ' ', undefined, undefined],
        [1, 'modified', 'old', 'row', { Name: 'cell' }],
      ],
    );
    assert.equal(tables.Items?.length, 3);
  });

  it('keeps nested rows, attributes, hidden columns and cells of any type', async (test) => {
    const { call } = await shop(test, (data) => data);
    const lines = table(
      'Line',
      column('No', 'int'),
      '<xs:attribute name="sku" type="xs:string"/><xs:attribute name="OrderId" type="xs:int" use="prohibited"/>',
    );
    const orders = table('Order', column('Id', 'int') + column('Any', 'anyType') + lines);
    const given =
      schema(orders) +
      diffgram(
        '<Shop xmlns=""><Order diffgr:id="Order1" msdata:rowOrder="0" diffgr:hasChanges="descent"><Id>1</Id><Any xsi:type="xs:short" xmlns:xs="http://www.w3.org/2001/XMLSchema">5</Any><Line diffgr:id="Line1" msdata:rowOrder="0" sku="a" msdata:hiddenOrderId="1"><No>1</No></Line></Order>' +
          '<Order diffgr:id="Order2" msdata:rowOrder="1"><Id>2</Id><Any><p>x</p></Any></Order></Shop>',
      );
    const { status, text } = await call(given);
    assert.equal(status, 200, text);
    const [sent] = bodyOf(
      `<x xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><r xmlns="" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${given}</r></Body></x>`,
    );
    assert.equal(difference(sent!, bodyOf(text)[0]!.children[0]!), undefined);
  });

  it('of a typed class stays in its namespace', async (test) => {
    const { call } = await shop(test, (data) => data);
    const of = 'targetNamespace="urn:typed" elementFormDefault="qualified" xmlns:mstns="urn:typed"';
    const keys = KEYS.replace('.//Items', './/mstns:Items');
    const given =
      schema(ITEMS, keys, of) +
      diffgram(
        '<Shop xmlns="urn:typed"><Items diffgr:id="Items1" msdata:rowOrder="0"><Id>1</Id></Items></Shop>',
      );
    const { status, text } = await call(given);
    assert.equal(status, 200, text);
    assert.match(text, /<Shop xmlns="urn:typed"><Items [^>]*><Id>1<\/Id>/);
    assert.match(text, /xpath="\.\/\/mstns:Items" xmlns:mstns="urn:typed"/);
  });

  it('that a handler changes says what it changed', async (test) => {
    const { call } = await shop(test, (data) => ({
      ...data,
      tables: { Items: [...data.tables.Items!, { Id: 9, When: new Date(0) }] },
      changes: [{ table: 'Items', row: 1, state: 'inserted' }],
    }));
    const rows =
      '<Shop xmlns=""><Items diffgr:id="Items1" msdata:rowOrder="0"><Id>1</Id></Items></Shop>';
    const { text } = await call(schema(ITEMS) + diffgram(rows));
    assert.match(
      text,
      /<Items diffgr:id="Items2" msdata:rowOrder="1" diffgr:hasChanges="inserted"><Id>9<\/Id><When>1970-01-01T00:00:00\+00:00<\/When><\/Items>/,
    );
  });

  it('with what its schema does not have is refused by its path', async (test) => {
    const rows =
      '<Shop xmlns=""><Items diffgr:id="Items1" msdata:rowOrder="0"><Id>1</Id></Items></Shop>';
    for (const [more, path] of [
      [{ Items: [{ Id: 1, Gone: 2 }] }, 'tables.Items.Gone'],
      [{ Gone: [{ Id: 1 }] }, 'tables.Gone'],
    ] as const) {
      const { call, errors } = await shop(test, ({ tables, ...data }) => ({
        ...data,
        tables: { ...tables, ...more },
      }));
      assert.equal((await call(schema(ITEMS) + diffgram(rows))).status, 500);
      assert.equal(errors.length, 1);
      assert.match(errors[0]!, new RegExp(`${path}: the schema does not have it`));
    }
  });
});
