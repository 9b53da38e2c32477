import { defineConfig } from 'vitepress';
import { version } from '../../packages/asmx/package.json';

/** The site of the engine's documentation. Dead links end the build. */
export default defineConfig({
  title: '@ws01/asmx',
  description: 'Serves .asmx contracts in TypeScript: SOAP, GET, POST, JSON, OpenAPI, MCP',
  cleanUrls: true,
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      {
        text: version,
        link: 'https://github.com/ws01/ws01/blob/main/packages/asmx/CHANGELOG.md',
      },
      { text: 'npm', link: 'https://www.npmjs.com/package/@ws01/asmx' },
    ],
    socialLinks: [{ icon: 'github', link: 'https://github.com/ws01/ws01' }],
    editLink: { pattern: 'https://github.com/ws01/ws01/edit/main/site/:path' },
    footer: { message: 'MIT licence' },
    sidebar: [
      { text: 'Get started', link: '/' },
      { text: 'From an ASMX class', link: '/migrate' },
      { text: 'Types', link: '/types' },
      { text: 'Options and limits', link: '/options' },
      { text: 'Hosts', link: '/hosts' },
      { text: 'Calling an old service', link: '/soap-client' },
      { text: 'Guides by task', link: '/recipes' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Tools for language models', link: '/mcp' },
      { text: 'What is proven', link: '/expressiveness' },
      { text: 'Beside other libraries', link: '/others' },
    ],
  },
});
