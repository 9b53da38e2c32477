/** Elysia on Bun: reads the body as text and always gives the answer in its argument, a `BareAnswer` as JSON. */
import { Elysia } from 'elysia';

const { contentType, body } = JSON.parse(process.argv[2]);
const headers = { 'Content-Type': contentType, 'Cache-Control': 'private, max-age=0' };

new Elysia()
  .post('/WS01.asmx', () => new Response(body, { headers }), { parse: 'text' })
  .listen({ hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    console.log(`http://127.0.0.1:${port}`),
  );
