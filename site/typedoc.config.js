/** `npm run site`: the reference, a page for each export of the packages, from the types and their comments. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Converter, PageEvent, ReflectionKind } from 'typedoc';

/** The entries of both packages: the file, how it is imported, and what TypeDoc calls it. */
const ENTRIES = ['asmx', 'asmx-tools'].flatMap((folder) => {
  const home = `../packages/${folder}`;
  const { name, exports } = JSON.parse(
    readFileSync(new URL(`${home}/package.json`, import.meta.url), 'utf8'),
  );
  return Object.entries(exports)
    .filter(([entry]) => !entry.includes('*'))
    .map(([entry, { 'ws01-source': source }]) => ({
      file: join(home, source),
      imported: join(name, entry),
      called: join(folder, dirname(source)),
    }));
});

/** Modules are called as they are imported. */
function nameModules({ converter }) {
  converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
    const entry = ENTRIES.find(({ called }) => called === reflection.name);
    if (entry && reflection.kindOf(ReflectionKind.Module)) reflection.name = entry.imported;
  });
}

/** Nobody edits these pages. What is only listed on one is found on its own. */
function describePages({ renderer }) {
  renderer.on(PageEvent.END, (page) => {
    const lists = page.model.kindOf(ReflectionKind.Project | ReflectionKind.Module);
    page.contents = `---\neditLink: false\nsearch: ${!lists}\n---\n\n${page.contents}`;
  });
}

export default {
  plugin: ['typedoc-plugin-markdown', nameModules, describePages],
  tsconfig: 'tsconfig.json',
  entryPoints: ENTRIES.map(({ file }) => file),
  // The compiler that judges the sources is the repository's, which is newer.
  skipErrorChecking: true,
  excludeExternals: true,
  excludePrivate: true,
  disableSources: true,
  // Dead links end the build; those of Node's own comments lead nowhere.
  treatWarningsAsErrors: true,
  externalSymbolLinkMappings: { '@types/node': { '*': '#' } },
  name: 'Reference',
  readme: 'none',
  out: 'reference',
  router: 'member',
  entryFileName: 'index',
  hidePageHeader: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  pageTitleTemplates: { module: '{name}', member: '{name}' },
};
