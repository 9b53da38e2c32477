import { typeName } from '../../contract/scalar-facts.ts';
import type { Operation, Parameter } from '../../contract/service.ts';
import type { ServiceAddress } from '../service-address.ts';
import type { Escape, SamplePart } from './parts.ts';

/** How a program in some language calls an operation over HTTP POST. */
export interface Snippet {
  /** Of its section: `csharp`. */
  readonly id: string;
  /** `C#` */
  readonly title: string;
  readonly pieces: readonly SamplePart[];
}

/**
 * What of a language a snippet is made of: what stands before and behind the values, and how a
 * value is written.
 */
interface Language {
  readonly id: string;
  readonly title: string;
  readonly writing: Escape;
  readonly quote: '"' | "'";
  /** @param hasFile whether a value is read of a file. */
  readonly head: (hasFile: boolean) => string;
  /** Before the value of a parameter; `name` is written as a string of the language. */
  readonly pair: (name: string) => readonly [before: string, after: string];
  /** Reads a file as base64. */
  readonly file: (path: SamplePart) => readonly SamplePart[];
  readonly tail: (url: string) => string;
}

const LANGUAGES: readonly Language[] = [
  {
    id: 'csharp',
    title: 'C#',
    writing: 'double',
    quote: '"',
    head: () =>
      'using var client = new HttpClient();\nvar fields = new Dictionary<string, string>\n{\n',
    pair: (name) => [`    ["${name}"] = `, ',\n'],
    file: (path) => ['Convert.ToBase64String(File.ReadAllBytes("', path, '"))'],
    tail: (url) =>
      `};\nvar response = await client.PostAsync("${url}", new FormUrlEncodedContent(fields));\nConsole.WriteLine(await response.Content.ReadAsStringAsync());`,
  },
  {
    id: 'php',
    title: 'PHP',
    writing: 'php',
    quote: "'",
    head: () => '<?php\n$fields = [\n',
    pair: (name) => [`    '${name}' => `, ',\n'],
    file: (path) => ["base64_encode(file_get_contents('", path, "'))"],
    tail: (url) =>
      `];\n$context = stream_context_create(['http' => [\n    'method' => 'POST',\n    'header' => 'Content-Type: application/x-www-form-urlencoded',\n    'content' => http_build_query($fields),\n    'ignore_errors' => true,\n]]);\necho file_get_contents('${url}', false, $context);`,
  },
  {
    id: 'java',
    title: 'Java',
    writing: 'double',
    quote: '"',
    head: (hasFile) =>
      `import java.net.*;\nimport java.net.http.*;\n${hasFile ? 'import java.nio.file.*;\n' : ''}import java.util.*;\nimport static java.nio.charset.StandardCharsets.UTF_8;\n\nvar fields = new LinkedHashMap<String, String>();\n`,
    pair: (name) => [`fields.put("${name}", `, ');\n'],
    file: (path) => [
      'Base64.getEncoder().encodeToString(Files.readAllBytes(Path.of("',
      path,
      '")))',
    ],
    tail: (url) =>
      `var body = new StringJoiner("&");\nfields.forEach((name, value) -> body.add(name + "=" + URLEncoder.encode(value, UTF_8)));\nvar request = HttpRequest.newBuilder(URI.create("${url}"))\n    .header("Content-Type", "application/x-www-form-urlencoded")\n    .POST(HttpRequest.BodyPublishers.ofString(body.toString())).build();\nvar response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());\nSystem.out.println(response.body());`,
  },
  {
    id: 'python',
    title: 'Python',
    writing: 'double',
    quote: '"',
    head: (hasFile) =>
      `${hasFile ? 'import base64\n' : ''}from urllib.error import HTTPError\nfrom urllib.parse import urlencode\nfrom urllib.request import urlopen\n\nfields = {\n`,
    pair: (name) => [`    "${name}": `, ',\n'],
    file: (path) => ['base64.b64encode(open("', path, '", "rb").read())'],
    tail: (url) =>
      `}\ntry:\n    answer = urlopen("${url}", urlencode(fields).encode())\nexcept HTTPError as error:\n    answer = error\nprint(answer.read().decode())`,
  },
  {
    id: 'javascript',
    title: 'JavaScript',
    writing: 'double',
    quote: '"',
    head: () => 'const fields = {\n',
    pair: (name) => [`  "${name}": `, ',\n'],
    file: (path) => ['(await import("node:fs")).readFileSync("', path, '").toString("base64")'],
    tail: (url) =>
      `};\nconst response = await fetch("${url}", { method: "POST", body: new URLSearchParams(fields) });\nconsole.log(await response.text());`,
  },
  {
    id: 'delphi',
    title: 'Delphi',
    writing: 'delphi',
    quote: "'",
    head: (hasFile) =>
      `uses System.Classes, ${hasFile ? 'System.IOUtils, System.NetEncoding, ' : ''}System.Net.HttpClient;\n\nvar Client := THTTPClient.Create;\nvar Fields := TStringList.Create;\ntry\n`,
    pair: (name) => [`  Fields.Values['${name}'] := `, ';\n'],
    file: (path) => ["TNetEncoding.Base64.EncodeBytesToString(TFile.ReadAllBytes('", path, "'))"],
    tail: (url) =>
      `  Writeln(Client.Post('${url}', Fields, nil, TEncoding.UTF8).ContentAsString);\nfinally\n  Fields.Free;\n  Client.Free;\nend;`,
  },
];

/** How programs call an operation, in every language of the page. */
export function snippetsOf(place: ServiceAddress, operation: Operation): readonly Snippet[] {
  const url = `${place.baseUrl}${place.path}/${operation.name}`;
  const hasFile = operation.parameters.some(({ type }) => type === 'base64Binary');
  return LANGUAGES.map((language) => ({
    id: language.id,
    title: language.title,
    pieces: [
      language.head(hasFile),
      ...operation.parameters.flatMap((parameter) => pairOf(language, parameter)),
      language.tail(url),
    ],
  }));
}

function pairOf(
  { pair, file, quote, writing }: Language,
  { name, type, sample }: Parameter,
): readonly SamplePart[] {
  const [before, after] = pair(name);
  if (type === 'base64Binary')
    return [before, ...file({ placeholder: 'file', filled: 'photo.jpg' }), after];
  const value: SamplePart = {
    placeholder: typeName(type),
    filled: escaped(sample, writing),
    parameter: name,
    writing,
  };
  return [before, quote, value, quote, after];
}

/**
 * A text within the quotes of a language. The script of the pages does the same with what callers
 * type.
 */
export function escaped(text: string, writing: Escape): string {
  switch (writing) {
    case 'shell':
      return text.replaceAll("'", "'\\''");
    case 'double':
      return JSON.stringify(text).slice(1, -1);
    case 'php':
      return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
    case 'delphi':
      return text.replaceAll("'", "''").replaceAll(/\r?\n/g, "'#13#10'");
  }
}
