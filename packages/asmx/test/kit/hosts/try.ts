import { envelopeOf, SOAP11, SOAP12 } from '../soap.ts';
import { until } from '../until.ts';

/** How a request gets to a host: `fetch`, or a function in its place. */
type Send = (request: Request) => Promise<Response>;

/** More than a host keeps of a body that nobody reads. */
const UPLOAD_BYTES = 3 * 1024 * 1024;

/**
 * Does with a host what its row in the table says.
 * @param url of the service, as its client calls it.
 * @param can what is not tried because the host has no way to do it.
 * @returns the row: for each column `yes`, or what was wrong.
 */
export async function tryHost(
  url: string,
  send: Send = fetch,
  can: { readonly stream: boolean; readonly abort: boolean } = { stream: true, abort: true },
): Promise<Readonly<Record<string, string>>> {
  const ask = async (path: string, init: RequestInit = {}, whole = url) => {
    const response = await send(new Request(whole + path, init));
    return { status: response.status, body: await response.text() };
  };
  const post = (path: string, type: string, body: string) =>
    ask(path, { method: 'POST', headers: { 'Content-Type': type }, body });
  const value = async (operation: string) =>
    /<string[^>]*>(.*)<|<int[^>]*>(.*)</
      .exec((await ask(`/${operation}`)).body)!
      .slice(1)
      .join('');

  const order = '<GetOrder xmlns="urn:orders"><id>7</id></GetOrder>';
  const soap = await Promise.all(
    [SOAP11, SOAP12].map((version) => post('', version.contentType, envelopeOf(version, order))),
  );
  const json = await post('/GetOrder', 'application/json', '{"id":7}');
  const forms = [
    await ask('/GetOrder?id=7'),
    await post('/GetOrder', 'application/x-www-form-urlencoded', 'id=7'),
  ];
  const wsdl = await ask('?WSDL');
  const address = /address location="([^"]*)"/.exec(wsdl.body)?.[1];
  const other = await ask('?WSDL', {}, url.replace('Orders.asmx', 'ORDERS.asmx'));
  const elsewhere = await ask('', {}, url.replace('Orders.asmx', 'Elsewhere.asmx'));
  const abort = async () => {
    const counted = async () => (await value('Waiting')).split(' ').map(Number);
    const [waited = 0, gone = 0] = await counted();
    const leaving = new AbortController();
    const left = ask('/Wait', { signal: leaving.signal }).catch((error) => error);
    await until(async () => (await counted())[0] === waited + 1);
    leaving.abort();
    await left;
    await until(async () => (await counted())[1] === gone + 1);
    return 'yes';
  };
  return {
    SOAP: said(
      soap.every(({ status, body }) => status === 200 && body.includes('>order 7<')),
      soap,
    ),
    JSON: said(json.status === 200 && json.body === '{"d":"order 7"}', json),
    form: said(
      forms.every(({ status, body }) => status === 200 && body.includes('>order 7<')),
      forms,
    ),
    'WSDL address': said(address === url && elsewhere.status === 404, { address, elsewhere }),
    'any letter case': other.status === 200 ? 'yes' : 'no',
    upload: await upload(send, url, value, can.stream),
    abort: can.abort ? await abort() : 'no',
  };
}

const said = (right: boolean, what: unknown) => (right ? 'yes' : JSON.stringify(what));

/** Sends a file, and the second half of it only after the first has come to the sink. */
async function upload(
  send: Send,
  url: string,
  value: (operation: string) => Promise<string>,
  streams: boolean,
): Promise<string> {
  const boundary = 'x-x-x';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`;
  const half = Buffer.alloc(UPLOAD_BYTES / 2, 'x');
  const body = async function* () {
    yield Buffer.from(head);
    yield half;
    // What may be the beginning of a boundary is held back, and hosts hand on whole blocks.
    if (streams) await until(async () => Number(await value('Arrived')) > half.length / 2);
    yield half;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  };
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  const request = streams
    ? new Request(`${url}/Upload`, {
        method: 'POST',
        headers,
        body: ReadableStream.from(body()) as ReadableStream<Uint8Array>,
        duplex: 'half',
      } as RequestInit)
    : new Request(`${url}/Upload`, {
        method: 'POST',
        headers,
        body: Buffer.concat(await Array.fromAsync(body())),
      });
  const text = await (await send(request)).text();
  if (!text.includes(`>${UPLOAD_BYTES} bytes<`)) return text;
  return streams ? 'streamed' : 'whole';
}
