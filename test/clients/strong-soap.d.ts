/** As much of strong-soap as the tests use; it brings no types of its own. */
declare module 'strong-soap' {
  type Callback = (error: unknown, result: Record<string, unknown> | null) => void;
  type Client = Readonly<Record<string, (params: object, callback: Callback) => void>>;
  interface Options {
    readonly forceSoapVersion: '1.1' | '1.2';
  }
  const strongSoap: {
    readonly soap: {
      createClient(url: string, options: Options, callback: (error: unknown, client: Client) => void): void;
    };
  };
  export default strongSoap;
}
