// needs: systemd-notify=systemd python3
/** What systemd is told, as it reads it: datagrams on a socket of the file system. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';

const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True: print(s.recv(65536).decode().replace('\\n', ' '), flush=True)
`;

describe('systemd', () => {
  it('is told when the service is ready, lives, reloads and stops', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const path = join(database.dataDir, 'notify');
    const receiver = spawn('python3', ['-c', RECEIVER, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => receiver.kill('SIGKILL'));
    const told: string[] = [];
    createInterface(receiver.stdout).on('line', (line) => told.push(line));
    const until = async (holds: () => boolean) => {
      for (let look = 0; !holds(); look++) {
        assert.ok(look < 600, told.join('\n'));
        await pause(100);
      }
    };
    await until(() => told[0] === 'bound');
    const service = await spawnService(t, database, {
      NOTIFY_SOCKET: path,
      WATCHDOG_USEC: '1000000',
    });
    await until(() => told.some((line) => /^READY=1 STATUS=serves at http/.test(line)));
    await until(() => told.filter((line) => line === 'WATCHDOG=1').length >= 2);
    service.child.kill('SIGHUP');
    await until(() => told.some((line) => /^RELOADING=1 MONOTONIC_USEC=\d+$/.test(line)));
    await until(() => told.some((line) => line === 'READY=1'));
    service.child.kill('SIGTERM');
    const [code] = await once(service.child, 'exit');
    assert.equal(code, 0);
    await until(() => told.includes('STOPPING=1'));
  });
});
