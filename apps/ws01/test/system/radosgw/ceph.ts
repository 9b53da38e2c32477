import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../../../../../packages/asmx/test/kit/listen.ts';
import { type Ending, folderOf, Program, until } from '../nodes/programs.ts';

const run = promisify((await import('node:child_process')).execFile);

/** How long one command may take; ms. */
const COMMAND_MS = 120_000;

const BUCKET = 'images';
const KEY = { accessKeyId: 'WS01KEY', secretAccessKey: 'WS01SECRET' };

/**
 * Ceph's object gateway before the smallest cluster there is: one monitor, one store of objects in memory. This process gets
 * its credentials where the AWS tools look for them. It ends after the test.
 */
export async function startRadosgw(
  t: Ending,
): Promise<{ readonly endpoint: string; readonly bucket: string }> {
  const folder = await folderOf(t);
  const [monitor, port, fsid] = [await freePort(), await freePort(), crypto.randomUUID()];
  for (const name of ['mon', 'osd', 'rgw', 'run']) await mkdir(join(folder, name));
  const config = join(folder, 'ceph.conf');
  await writeFile(config, configuration(folder, fsid, monitor));
  const ceph = (program: string, ...args: string[]) =>
    run(program, ['-c', config, ...args], { timeout: COMMAND_MS, killSignal: 'SIGKILL' });
  const runs = (program: string, ...args: string[]) =>
    new Program(t, program, ['-c', config, '-f', ...args]);

  const keyring = join(folder, 'keyring');
  const addKey = (name: string, ...capabilities: string[]) =>
    run('ceph-authtool', [keyring, '--gen-key', '-n', name, ...capabilities]);
  await run('ceph-authtool', ['--create-keyring', keyring]);
  await addKey('mon.', '--cap', 'mon', 'allow *');
  await addKey('client.admin', '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *');
  await addKey('osd.0', '--cap', 'mon', 'allow profile osd', '--cap', 'osd', 'allow *');
  const map = join(folder, 'monmap');
  await run('monmaptool', [
    '--create',
    '--addv',
    'a',
    `[v2:127.0.0.1:${monitor}/0]`,
    '--fsid',
    fsid,
    map,
  ]);
  await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);
  runs('ceph-mon', '-i', 'a');
  const osd = crypto.randomUUID();
  await ceph('ceph', 'osd', 'new', osd);
  await ceph('ceph', 'auth', 'add', 'osd.0', '-i', keyring);
  await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
  runs('ceph-osd', '-i', '0');
  const gateway = runs(
    'radosgw',
    '-n',
    'client.admin',
    `--rgw-frontends=beast endpoint=127.0.0.1:${port}`,
  );
  const endpoint = `http://127.0.0.1:${port}`;
  await until(`radosgw, which says ${gateway.output}`, async () => (await fetch(endpoint)).ok);
  const { accessKeyId, secretAccessKey } = KEY;
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
  await ceph('radosgw-admin', 'user', 'create', '--uid=ws01', '--display-name=ws01', ...keys);
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
  const client = new S3Client({
    endpoint,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: KEY,
  });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
  return { endpoint, bucket: BUCKET };
}

const configuration = (folder: string, fsid: string, monitor: number): string => `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${monitor}/0]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = ${folder}/keyring
mon data = ${folder}/mon
osd data = ${folder}/osd
rgw data = ${folder}/rgw
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
log file = ${folder}/$name.log
osd objectstore = memstore
memstore device bytes = 1073741824
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
`;
