/** As much of Express as the tests use; it brings no types of its own. */
declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;
  interface Application {
    (req: IncomingMessage, res: ServerResponse): void;
    use(middleware: Middleware): void;
    use(path: string, middleware: Middleware): void;
  }
  interface Express {
    (): Application;
    json(): Middleware;
    urlencoded(): Middleware;
    raw(options: { readonly type: string; readonly limit: string }): Middleware;
    text(options: { readonly type: string }): Middleware;
  }
  const express: Express;
  export default express;
}
