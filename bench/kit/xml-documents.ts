/** The documents that readers are measured with: what a SOAP server meets. */

const ENVELOPE_START = `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
`;
const ENVELOPE_END = `
  </soap:Body>
</soap:Envelope>`;

/** About 600 bytes, as a .NET proxy writes them. */
export function smallEnvelope(): Buffer {
  return Buffer.from(`${ENVELOPE_START}    <countUserPosted xmlns="urn:ws01">
      <tokenId>ws1_abcdefghijabcdefghijabcdefghij12345678</tokenId>
      <userId>0c2ad1f0-5fd2-4a58-b9d4-5a9a3f3a1b11</userId>
      <lastFewDays>7</lastFewDays>
      <level>article &amp; advert</level>
    </countUserPosted>${ENVELOPE_END}`);
}

/** An article of 20 kB of Chinese, with markup escaped as clients escape it. */
export function cjkArticle(): Buffer {
  const sentence = '&lt;p&gt;东京站前公寓出租，两室一厅，朝南，近公园，可养宠物。租金面议，请致电联系。&lt;/p&gt;\r\n';
  const content = sentence.repeat(Math.ceil(20_000 / Buffer.byteLength(sentence)));
  return Buffer.from(`${ENVELOPE_START}    <InsertArticle xmlns="urn:ws01">
      <token>ws1_abcdefghijabcdefghijabcdefghij12345678</token>
      <guid>0c2ad1f0-5fd2-4a58-b9d4-5a9a3f3a1b11</guid>
      <caption>公寓出租</caption>
      <content>${content}</content>
      <Status>0</Status>
    </InsertArticle>${ENVELOPE_END}`);
}

export function manyElements(count: number): Buffer {
  const items = Array.from({ length: count }, (_, i) => `<item id="${i}">text ${i}</item>\n`);
  return Buffer.from(`<?xml version="1.0"?><items>${items.join('')}</items>`);
}

/** An upload, in chunks as they come from a socket; `bytes` of the base64 text, in lines of 76. */
export function* upload(bytes: number): Generator<Buffer> {
  const line = `${Buffer.from(Array.from({ length: 57 }, (_, i) => (i * 151 + 7) & 0xff)).toString('base64')}\n`;
  const chunk = Buffer.from(line.repeat(Math.floor(65_536 / line.length)));
  yield Buffer.from(`${ENVELOPE_START}    <InsertArticleImageFile xmlns="urn:ws01"><FileImg>`);
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
  yield Buffer.from(`</FileImg></InsertArticleImageFile>${ENVELOPE_END}`);
}
