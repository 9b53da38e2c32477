import { basename, resolve } from 'node:path';
import { shellWord } from '@ws01/asmx/internal/describe/samples/curl';
import { projectDependencies } from '../emit/engine-package.ts';
import { helloProject } from '../emit/hello-project.ts';
import { writeProject } from '../emit/write-project.ts';
import type { Command } from './command.ts';

export const newCommand: Command = {
  name: 'new',
  parameters: ['<folder>'],
  summary: 'Write a first service: a contract, its handler and a server, in one file.',
  options: { json: { type: 'boolean' } },
  help: `
<folder> is new or empty; its name becomes that of the package. Start it with npm install && npm start.

  --json  print one JSON object

Exit codes: 0 done; 1 the folder cannot be written.

Examples:
  asmx new hello`,
  async run([folder = ''], { json }, { print, remark }) {
    const name = basename(resolve(folder));
    const files = helloProject(name, projectDependencies(folder, remark));
    await writeProject(folder, files);
    if (json === true) print(`${JSON.stringify({ folder, files: Object.keys(files) })}\n`);
    else
      print(
        `${folder}: ${Object.keys(files).join(', ')}\nNext: cd ${shellWord(folder)} && npm install && npm start\n`,
      );
    return 0;
  },
};
