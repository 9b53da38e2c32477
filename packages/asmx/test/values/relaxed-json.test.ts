import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  boolean,
  createEndpoint,
  double,
  int,
  object,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { serve } from './kit.ts';

const Point = object('Point', { label: string, x: int, y: double, on: boolean });
const Points = service('Points', {
  namespace: 'urn:points',
  operations: { Echo: operation({ input: { points: array(Point) }, result: array(Point) }) },
});
const endpoint = createEndpoint(Points, {
  path: '/Points.asmx',
  handlers: { Echo: ({ points }) => points },
});

async function echo(url: string, body: string) {
  const response = await fetch(`${url}/Points.asmx/Echo`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe('JSON of objects', () => {
  it('is read as JavaScriptSerializer reads it', async (test) => {
    const url = await serve(test, endpoint);
    const written = '{"d":[{"label":"it\\u0027s","x":5,"y":0.5,"on":true}]}';
    for (const body of [
      '{"points":[{"label":"it\'s","x":5,"y":0.5,"on":true}]}',
      "{'points':[{'label':'it\\'s','x':5,'y':0.5,'on':true}]}",
      '{points:[{label:"it\'s",x:05,y:.5,on:true}]}',
      '{ points : [ { label : "it\'s" , x : +5 , y : 5.e-1 , on : true } ] }\0',
      '{points:[{label:"other",label:\'it\\u0027s\',x:5,y:0.5,on:true}]}',
    ]) {
      assert.deepEqual(await echo(url, body), { status: 200, text: written }, body);
    }
    assert.equal((await echo(url, '{points:[{label:"a\tb"}]}')).text.includes('"a\\tb"'), true);
    assert.equal((await echo(url, "{points:[{label:'\"{[,'}]}")).text.includes('"\\"{[,"'), true);
  });

  it('what is no JSON at all is refused with its place', async (test) => {
    const url = await serve(test, endpoint);
    for (const [body, reason] of [
      ['{points:[}', /JSON value must stand\. Character 10/],
      ['{points:[1,]}', /JSON value must stand/],
      ['{points:[],}', /name of a member must stand/],
      ['{points:undefined}', /JSON value must end/],
      ['{points:[]} x', /Nothing may follow/],
      ["{points:['a]}", /ends too early/],
      ['{points', /ends too early/],
      ['[1]', /must begin with/],
      [`{points:${'['.repeat(80)}`, /limit depth/],
      [`{points:[{label:"\\""},${'['.repeat(80)}`, /limit depth/],
    ] as const) {
      const answer = await echo(url, body);
      assert.match(answer.text, reason, body);
      assert.match(String(answer.status), /^4(00|13)$/);
    }
  });
});
