/**
 * Keeps one PostgreSQL server for every test process of this machine: `node postgres-keeper.ts <socket>`. Test
 * processes hold a connection to the socket for as long as they live and are told the server's port on it. When the
 * last one has gone, and for a while no other has come, the server is removed and the keeper ends. So nothing stays
 * behind when a test process is killed, and concurrent runs share a server without knowing of each other.
 */
import { createServer, type Server } from 'node:net';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** `scripts/test.js` ends a run that has this line: no file waits for what the first one waited for in vain. */
const NO_POSTGRES = 'No PostgreSQL for the tests:';

/** How long the server waits for another test process; ms. Some files of a run need none for a minute. */
const LINGER = 60_000;

/** A leading @ is how Linux's abstract sockets, which begin with NUL, are written in an argument. */
const socketPath = (process.argv[2] ?? '').replace(/^@/, '\0');
let starting: Promise<PostgresServer> | undefined;
let users = 0;
let farewell: NodeJS.Timeout | undefined;

const door: Server = createServer((socket) => {
  users++;
  clearTimeout(farewell);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    users--;
    scheduleEnd();
  });
  starting?.then(
    ({ port }) => socket.write(`${port}\n`),
    (error) => socket.end(`${NO_POSTGRES} ${error.message.replace(/\s+/g, ' ')}\n`),
  );
  socket.resume();
});

// Somebody else's keeper won the race for the socket: it serves everybody.
door.on('error', () => process.exit(0));

door.listen(socketPath, () => {
  starting = startPostgresServer('ws01-test-postgres-');
  starting.catch(() => {});
  scheduleEnd();
});

// A polite request to end is honoured at once; the exit removes the server.
process.on('SIGTERM', () => process.exit(0));

function scheduleEnd(): void {
  clearTimeout(farewell);
  if (users === 0) {
    farewell = setTimeout(end, LINGER);
  }
}

/** Closes the door first, so that whoever comes now starts a keeper of their own. */
function end(): void {
  door.close(async () => {
    const server = await starting?.catch(() => undefined);
    await server?.dispose();
    process.exit(0);
  });
}
