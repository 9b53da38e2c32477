/** A recorded request as a difference looks at it. */
export interface RecordedRequest {
  readonly method: string;
  readonly target: string;
  /** The first value of a header, by lower-case name; `''` where it is absent. */
  readonly header: (name: string) => string;
  /** One character a byte. */
  readonly body: string;
}

export function recordedRequest(bytes: Buffer): RecordedRequest {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...fields] = text.slice(0, end < 0 ? text.length : end).split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  return {
    method,
    target,
    header: (name) => {
      const field = fields.find((one) => one.toLowerCase().startsWith(`${name}:`));
      return field === undefined ? '' : field.slice(name.length + 1).trim();
    },
    body: end < 0 ? '' : text.slice(end + 4),
  };
}
