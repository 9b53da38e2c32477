/** The service that hosts serve in tests: a copy of this file stands beside the program of each. */
import { base64Binary, boolean, createEndpoint, int, operation, service, string } from '@ws01/asmx';

const Orders = service('Orders', {
  namespace: 'urn:orders',
  operations: {
    GetOrder: operation({ input: { id: int }, result: string }),
    /** How many bytes came while the rest was still on its way, and how many in all. */
    Upload: operation({ input: { file: base64Binary }, result: string }),
    /** How many bytes of the upload have come. */
    Arrived: operation({ result: int }),
    /** Answers when the client has gone. */
    Wait: operation({ result: boolean }),
    /** How many have waited, and gone. */
    Waiting: operation({ result: string }),
    ClientAddress: operation({ result: string }),
  },
});

let arrived = 0;
let waiting = 0;
let gone = 0;

export const endpoint = createEndpoint(Orders, {
  path: '/Orders.asmx',
  createBinarySink: () => {
    arrived = 0;
    return {
      write: (piece: Uint8Array) => {
        arrived += piece.length;
      },
      finish: () => arrived,
      release: () => {},
    };
  },
  handlers: {
    GetOrder: ({ id }) => `order ${id}`,
    Upload: ({ file }) => `${file} bytes`,
    Arrived: () => arrived,
    Wait: async (_input, { signal }) => {
      waiting++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      gone++;
      return true;
    },
    Waiting: () => `${waiting} ${gone}`,
    ClientAddress: (_input, { http }) => http.address,
  },
});
