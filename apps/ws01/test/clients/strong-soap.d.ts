/** As much of strong-soap as tests and benches use; it brings no types of its own. */
declare module 'strong-soap' {
  type Callback = (error: unknown, result: Record<string, unknown> | null) => void;
  type Client = Readonly<Record<string, (params: object, callback: Callback) => void>>;
  interface Options {
    readonly forceSoapVersion: '1.1' | '1.2';
  }
  /** Service → port → operation. */
  type Services = Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, (params: never) => object>>>>>
  >;
  const strongSoap: {
    readonly soap: {
      createClient(
        url: string,
        options: Options,
        callback: (error: unknown, client: Client) => void,
      ): void;
      listen(
        server: import('node:http').Server,
        path: string,
        services: Services,
        wsdl: string,
      ): unknown;
    };
  };
  export default strongSoap;
}
