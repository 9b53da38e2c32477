import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import smpp, { type Pdu, type Session } from 'smpp';
import { SmppGateway } from '../../../src/adapters/sms/smpp.ts';
import { failureOf } from '../../kit/failure.ts';

const SMS = {
  id: 'sms-1',
  to: '+12125550100',
  text: 'WS01: 123456',
  expiresAt: Date.now() + 170_500,
  leftMs: 170_500,
};
const never = new AbortController().signal;

interface Carrier {
  readonly gateway: SmppGateway;
  readonly binds: Pdu[];
  readonly submits: Pdu[];
  readonly sessions: Session[];
  /** The status that the next messages are answered with. */
  status: number;
}

/** The package's own server as a carrier, which knows one password. */
async function startCarrier(test: TestContext, password = 'secret'): Promise<Carrier> {
  const carrier: Omit<Carrier, 'gateway'> = { binds: [], submits: [], sessions: [], status: 0 };
  const server = smpp.createServer((session) => {
    carrier.sessions.push(session);
    session.on('error', () => {});
    session.on('bind_transceiver', (pdu: Pdu) => {
      carrier.binds.push(pdu);
      session.send(pdu.response({ command_status: pdu.password === 'secret' ? 0 : 0x0e }));
    });
    session.on('submit_sm', (pdu: Pdu) => {
      carrier.submits.push(pdu);
      session.send(
        pdu.response({ command_status: carrier.status, message_id: `m${carrier.submits.length}` }),
      );
    });
    session.on('unbind', (pdu: Pdu) => {
      session.send(pdu.response());
      session.close();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gateway = new SmppGateway({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    tls: false,
    verify: true,
    systemId: 'ws01',
    password,
    systemType: 'web',
    source: 'WS01',
  });
  test.after(async () => {
    await gateway.close();
    for (const session of carrier.sessions) session.destroy();
    server.close();
  });
  return Object.assign(carrier, { gateway });
}

it('binds once and submits with addresses, coding and the end of validity', async (t) => {
  const carrier = await startCarrier(t);
  const replies = await Promise.all([
    carrier.gateway.send(SMS, never),
    carrier.gateway.send(SMS, never),
  ]);
  assert.deepEqual(replies.toSorted(), ['ESME_ROK m1', 'ESME_ROK m2']);
  assert.equal(carrier.binds.length, 1);
  const [bind] = carrier.binds;
  assert.deepEqual(
    [bind?.system_id, bind?.system_type, bind?.interface_version],
    ['ws01', 'web', 0x34],
  );
  const [submit] = carrier.submits;
  assert.deepEqual(
    [submit?.source_addr_ton, submit?.source_addr_npi, submit?.source_addr],
    [5, 0, 'WS01'],
  );
  assert.deepEqual(
    [submit?.dest_addr_ton, submit?.dest_addr_npi, submit?.destination_addr],
    [1, 1, '12125550100'],
  );
  assert.deepEqual([submit?.data_coding, submit?.esm_class], [0, 0]);
  assert.deepEqual(submit?.short_message, { message: SMS.text });
  const validity = (submit!.validity_period as Date).getTime() - Date.now();
  assert.ok(validity > 100_000 && validity <= 171_000, String(validity));
});

it('sends a long text in parts that belong together', async (t) => {
  const carrier = await startCarrier(t);
  const text = `验证码 123456 ${'漢😀'.repeat(40)}`;
  assert.equal(await carrier.gateway.send({ ...SMS, text }, never), 'ESME_ROK m1 m2');
  const parts = carrier.submits.map(
    (pdu) => pdu.short_message as { udh: Buffer[]; message: string },
  );
  assert.equal(parts.map(({ message }) => message).join(''), text);
  const headers = parts.map(({ udh }) => [...udh[0]!]);
  const reference = headers[0]?.[2];
  assert.deepEqual(headers, [
    [0, 3, reference, 2, 1],
    [0, 3, reference, 2, 2],
  ]);
  for (const { data_coding, esm_class } of carrier.submits)
    assert.deepEqual([data_coding, esm_class], [8, 0x40]);
});

for (const [status, kind] of [
  [0x0b, 'refused'],
  [0x58, 'busy'],
  [0x14, 'busy'],
  [0x08, 'busy'],
] as const) {
  it(`status 0x${status.toString(16)} means ${kind}`, async (t) => {
    const carrier = await startCarrier(t);
    carrier.status = status;
    const failure = await failureOf(carrier.gateway.send(SMS, never));
    assert.equal(failure.kind, kind);
    assert.match(failure.message, new RegExp(status.toString(16)));
  });
}

it('a wrong password refuses us, not the message', async (t) => {
  const carrier = await startCarrier(t, 'wrong');
  const { kind, message } = await failureOf(carrier.gateway.send(SMS, never));
  assert.equal(kind, 'unavailable');
  assert.match(message, /0x0000000e/);
  assert.ok(!message.includes('wrong'));
});

it('binds again when the carrier has ended the session', async (t) => {
  const carrier = await startCarrier(t);
  await carrier.gateway.send(SMS, never);
  const [session] = carrier.sessions;
  const closed = once(session!, 'close');
  // Unlike a connection that is cut, this one closes when the other side has heard of it.
  session!.close();
  await closed;
  assert.match(await carrier.gateway.send(SMS, never), /ESME_ROK/);
  assert.equal(carrier.binds.length, 2);
});

it('a carrier that is not there is unavailable', async () => {
  const server = {
    host: '127.0.0.1',
    port: 9,
    tls: false,
    verify: true,
    systemId: 'a',
    password: 'b',
    systemType: '',
    source: '',
  };
  const { kind, message } = await failureOf(new SmppGateway(server).send(SMS, never));
  assert.equal(kind, 'unavailable');
  assert.match(message, /ECONNREFUSED/);
});
