import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { PackedFile } from '../../web/packed-file.ts';
import { HOME } from '../visit.ts';

const resolve = createRequire(import.meta.url).resolve;

/** All files that pages load, our own and those of libraries. Nothing is loaded from another site. */
const FILES = {
  'console.css': new URL('console.css', import.meta.url),
  'console.js': new URL('console.js', import.meta.url),
  'editor.js': new URL('editor.js', import.meta.url),
  'live.js': new URL('live.js', import.meta.url),
  'icons.svg': new URL('icons.svg', import.meta.url),
  'locale.js': new URL('locale.js', import.meta.url),
  'htmx.js': resolve('htmx.org/dist/htmx.min.js'),
  'uplot.js': resolve('uplot/dist/uPlot.iife.min.js'),
  'uplot.css': resolve('uplot/dist/uPlot.min.css'),
} as const;

type AssetName = keyof typeof FILES;

const ASSETS = new Map(Object.entries(FILES).map(([name, path]) => [name, new PackedFile(path)]));

/** Returns the URL of a file. It contains a hash of the file, so browsers may cache it for ever. */
export function assetUrl(name: AssetName): string {
  return `${HOME}/assets/${ASSETS.get(name)!.tag}/${name}`;
}

/** Serves the files. */
export function assetPages(): Hono {
  const app = new Hono();
  app.get('/:tag/:name', (c) => {
    const asset = ASSETS.get(c.req.param('name'));
    if (asset === undefined || asset.tag !== c.req.param('tag')) return c.notFound();
    return asset.answer(c.req.header('accept-encoding'));
  });
  return app;
}
