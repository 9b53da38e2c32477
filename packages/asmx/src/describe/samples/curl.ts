import { typeName } from '../../contract/scalar-facts.ts';
import type { Parameter } from '../../contract/service.ts';
import { isServedBy, jsonArguments, type Sampled } from './messages.ts';
import type { SamplePart } from './parts.ts';
import { escaped } from './snippets.ts';

/**
 * A command line that calls an operation over HTTP POST, for a POSIX shell; by JSON where a form
 * cannot carry its parameters. An operation with a base64Binary parameter is called with
 * `multipart/form-data`, so that the file goes as it is.
 */
export function curlCommand(sampled: Sampled): readonly SamplePart[] {
  const { place, operation } = sampled;
  const url = `${place.baseUrl}${place.path}/${operation.name}`;
  if (!isServedBy(sampled, 'post')) return byJson(url, sampled);
  if (operation.parameters.length === 0) return [`curl --data '' ${quote(url)}`];
  const multipart = operation.parameters.some((parameter) => parameter.type === 'base64Binary');
  return [
    `curl ${quote(url)}`,
    ...operation.parameters.flatMap((parameter) => [' \\\n  ', ...argument(parameter, multipart)]),
  ];
}

function byJson(url: string, sampled: Sampled): readonly SamplePart[] {
  const header = "--header 'Content-Type: application/json' --data-binary @-";
  return [`curl ${quote(url)} \\\n  ${header} <<'END'\n`, ...jsonArguments(sampled), '\nEND'];
}

function argument({ name, type, sample }: Parameter, multipart: boolean): SamplePart[] {
  if (type === 'base64Binary')
    return ["--form '", { key: name }, '=@', { placeholder: 'file', filled: 'photo.jpg' }, "'"];
  const option = multipart ? '--form-string' : '--data-urlencode';
  return [
    `${option} '`,
    { key: name },
    '=',
    {
      placeholder: typeName(type),
      filled: escaped(sample, 'shell'),
      parameter: name,
      writing: 'shell',
    },
    "'",
  ];
}

/**
 * A text as one word of a command for a POSIX shell; as it is where nothing in it means anything
 * there.
 */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : quote(text);
}

function quote(text: string): string {
  return `'${escaped(text, 'shell')}'`;
}
