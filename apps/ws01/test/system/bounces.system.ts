// needs: postfix dovecot=dovecot-imapd
/**
 * The bounce drill: mails go to a real Postfix, which accepts them and is refused by the next server; its reports go
 * to a mailbox of a real Dovecot, which the service reads by IMAP.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import nodemailer from 'nodemailer';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { keptLog } from '../kit/log.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { complaintReport } from '../kit/returned-mails.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11] = TEST_BINDINGS;
const BOARD = 'board@ws01.test';

async function listens(port: number, child?: ChildProcess): Promise<void> {
  await until(async () => {
    assert.ok(child?.exitCode == null, 'the server has ended');
    const socket = connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return connected;
  });
}

/** A user of the system that is not root, since neither server delivers as root. */
const idOf = (name: string, which: '-u' | '-g') =>
  Number(execFileSync('id', [which, name]).toString());

/** Dovecot with one mailbox, in a folder that others deliver to. @returns its port and its folder of mails. */
async function startDovecot(t: TestContext, folder: string) {
  const [port, uid, gid] = [await freePort(), idOf('nobody', '-u'), idOf('nobody', '-g')];
  const mails = join(folder, 'mails');
  await mkdir(mails);
  await chown(mails, uid, gid);
  await writeFile(join(folder, 'users'), `${BOARD}:p-w@1\n`);
  await writeFile(
    join(folder, 'dovecot.conf'),
    `base_dir = ${folder}/run
log_path = ${folder}/dovecot.log
protocols = imap
ssl = no
disable_plaintext_auth = no
listen = 127.0.0.1
mail_location = maildir:${mails}/board
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = scheme=PLAIN ${folder}/users
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${mails}
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`.replace('{PLAIN}', ''),
  );
  const child = spawn('dovecot', ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'inherit' });
  t.after(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  await listens(port, child);
  return { port, mails, uid, gid };
}

/** Postfix that delivers to the mailbox, and hands everything else to the next server. */
async function startPostfix(
  t: TestContext,
  folder: string,
  next: number,
  { mails, uid, gid }: { readonly mails: string; readonly uid: number; readonly gid: number },
): Promise<number> {
  const port = await freePort();
  const [config, queue, data] = ['config', 'queue', 'data'].map((name) => join(folder, name));
  for (const one of [config!, queue!, data!]) await mkdir(one);
  await chown(data!, idOf('postfix', '-u'), idOf('postfix', '-g'));
  await writeFile(
    join(config!, 'main.cf'),
    `compatibility_level = 3.6
queue_directory = ${queue}
data_directory = ${data}
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
myhostname = mx.ws01.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
relayhost = [127.0.0.1]:${next}
virtual_mailbox_domains = ws01.test
virtual_mailbox_base = ${mails}
virtual_mailbox_maps = static:board/
virtual_uid_maps = static:${uid}
virtual_gid_maps = static:${gid}
virtual_minimum_uid = 1
smtpd_relay_restrictions = permit_mynetworks, reject
alias_maps =
alias_database =
`,
  );
  const services = `127.0.0.1:${port} inet n - n - - smtpd
postlog unix-dgram n - n - 1 postlogd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
`;
  await writeFile(join(config!, 'master.cf'), services);
  await writeFile(join(config!, 'dynamicmaps.cf'), '');
  execFileSync('postfix', ['-c', config!, 'start'], { stdio: 'inherit' });
  t.after(() => execFileSync('postfix', ['-c', config!, 'stop'], { stdio: 'inherit' }));
  await listens(port);
  return port;
}

it('what Postfix returns is read from Dovecot: bounced with its words, suppressed where nobody is there', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-bounces-'));
  await chmod(folder, 0o755);
  const next = await startMailServer(t);
  next.behave((to) => {
    if (to.startsWith('nobody@')) return { at: 'RCPT', code: 550, text: '5.1.1 No such user here' };
    if (to.startsWith('full@')) return { at: 'RCPT', code: 552, text: '5.2.2 Mailbox full' };
    return 'accept';
  });
  const dovecot = await startDovecot(t, folder);
  const smtp = await startPostfix(t, folder, next.port, dovecot);
  // The servers end first.
  t.after(() => rm(folder, { recursive: true, force: true }));
  const mailbox = `imap://${encodeURIComponent(BOARD)}:p-w%401@127.0.0.1:${dovecot.port}/INBOX`;
  const kept = keptLog();
  const { url } = await startService(
    t,
    await freshDatabase('sqlite', t),
    {
      SMTP_URL: `smtp://127.0.0.1:${smtp}?tls=off`,
      MAIL_FROM: BOARD,
      MAIL_BOUNCES: mailbox,
      impatient: true,
      fixed: { mailLookMs: 500 },
    },
    kept.log,
  );
  const call = async (operation: string, params: Record<string, string>) => {
    const { result, body } = await soap11!.call(url, operation, {
      authorizationUserId: TOKEN,
      ...params,
    });
    assert.ok(result !== undefined, body);
    return result;
  };
  const send = (receiverEmail: string) =>
    call('SendEmail', {
      receiverName: '',
      receiverEmail,
      subject: 'x',
      body: `to ${receiverEmail}`,
    });
  const reported = async () => {
    const { items } = JSON.parse(await call('queryEmailsent', { receiverEmail: '' }));
    return new Map<string, { status: string; lastReply: string }>(
      items.map((item: { id: string; status: string; lastReply: string }) => [item.id, item]),
    );
  };
  const [nobody, full, eve, fine] = [
    await send('nobody@remote.test'),
    await send('full@remote.test'),
    await send('eve@remote.test'),
    await send('fine@remote.test'),
  ];
  await until(() => next.received.length === 2);
  // The reader's provider returns a complaint, and somebody else a forged report and a mail that is none.
  const raw = next.received.find(({ to }) => to === 'eve@remote.test')!.raw;
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: smtp, ignoreTLS: true });
  const deliver = (message: string) =>
    transport.sendMail({ envelope: { from: 'x@remote.test', to: BOARD }, raw: message });
  const forged = next.received.find(({ to }) => to === 'fine@remote.test')!.raw;
  await deliver(
    complaintReport(forged.replace(/^(X-Mail-Reference:\s+[0-9a-f-]+)\S*/m, '$1.forged')),
  );
  await deliver(`From: x@remote.test\r\nSubject: hello\r\n\r\nA mail of a person.\r\n`);
  await deliver(complaintReport(raw));
  await until(
    async () => {
      const items = await reported();
      return (
        items.get(nobody)?.status === 'bounced' &&
        items.get(full)?.status === 'bounced' &&
        items.get(eve)?.lastReply === 'Reported as abuse.'
      );
    },
    () => JSON.stringify(kept.lines),
  );
  // Reports are marked as read; what else came is left as it was.
  await until(async () => (await readdir(join(dovecot.mails, 'board', 'cur'))).length === 5);
  const seen = (await readdir(join(dovecot.mails, 'board', 'cur'))).filter((name) =>
    /,\w*S/.test(name),
  );
  assert.equal(seen.length, 4);
  const items = await reported();
  assert.match(items.get(nobody)!.lastReply, /550 5\.1\.1 No such user here/);
  assert.match(items.get(full)!.lastReply, /552 5\.2\.2 Mailbox full/);
  assert.equal(items.get(fine)!.status, 'sent');
  const { origin } = new URL(url);
  const answer = await fetch(`${origin}/api/v1/suppressions`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  const { items: suppressed } = (await answer.json()) as { items: Record<string, string>[] };
  assert.deepEqual(
    suppressed.map(({ address, reason }) => [address, reason]),
    [
      ['eve@remote.test', 'complaint'],
      ['nobody@remote.test', 'bounce'],
    ],
  );
  for (const receiverEmail of ['nobody@remote.test', 'eve@remote.test']) {
    const id = await call('SendEmail', {
      ...{ receiverName: '', receiverEmail, subject: 'again', body: 'again' },
    });
    await until(async () => (await reported()).get(id)?.status === 'suppressed');
  }
});
