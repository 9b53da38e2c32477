/** Bun.serve that reads the body and always gives the answer in its argument, a `BareAnswer` as JSON. */
import type { BareAnswer } from '../kit/sides/bare-server.ts';

declare const Bun: {
  serve(options: {
    readonly hostname: string;
    readonly port: number;
    readonly fetch: (request: Request) => Promise<Response>;
  }): { readonly port: number };
};

const { contentType, body } = JSON.parse(process.argv[2]!) as BareAnswer;
const headers = { 'Content-Type': contentType, 'Cache-Control': 'private, max-age=0' };

const { port } = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    await request.arrayBuffer();
    return new Response(body, { headers });
  },
});
console.log(`http://127.0.0.1:${port}`);
