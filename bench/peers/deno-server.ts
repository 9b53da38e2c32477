/** Deno.serve that reads the body and always gives the answer in its argument, a `BareAnswer` as JSON. */
import type { BareAnswer } from '../kit/sides/bare-server.ts';

declare const Deno: {
  readonly args: readonly string[];
  serve(
    options: {
      readonly hostname: string;
      readonly port: number;
      readonly onListen: (address: { readonly port: number }) => void;
    },
    handler: (request: Request) => Promise<Response>,
  ): void;
};

const { contentType, body } = JSON.parse(Deno.args[0]!) as BareAnswer;
const headers = { 'Content-Type': contentType, 'Cache-Control': 'private, max-age=0' };

Deno.serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
  },
  async (request) => {
    await request.arrayBuffer();
    return new Response(body, { headers });
  },
);
