import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { nameOf } from '../../scripts/page-pictures.ts';
import { routePaths } from '../console/kit/routes.ts';

const FOLDER = 'docs/images/pages';

/** What is downloaded, or stands within a page. */
const NO_PAGE =
  /^\/console\/(?:offers\/|completions$)|\.(?:csv|json|tar)$|\/(?:body|seen|archive|file)$/;

test('every page of the console has its two pictures, and the list of pictures names them all', async () => {
  const pictures = (await readdir(FOLDER)).filter((name) => name.endsWith('.webp'));
  const listed = [...(await readFile(`${FOLDER}/README.md`, 'utf8')).matchAll(/\((\S+\.webp)\)/g)];
  assert.deepEqual(listed.map(([, name]) => name!).sort(), pictures.sort());
  const pages = (await routePaths()).filter((path) => !NO_PAGE.test(path)).map(nameOf);
  const missing = pages.filter((name) => !pictures.includes(`${name}-desktop.webp`));
  assert.deepEqual(missing, [], 'npm run -s screenshots');
});
