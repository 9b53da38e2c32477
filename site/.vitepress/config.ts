import { defineConfig } from 'vitepress';

/** The site of the engine's documentation. Dead links end the build. */
export default defineConfig({
  title: '@ws01/asmx',
  description: 'Serves .asmx contracts in TypeScript: SOAP, GET, POST, JSON, OpenAPI, MCP',
  cleanUrls: true,
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      { text: 'Get started', link: '/' },
      { text: 'From an ASMX class', link: '/migrate' },
      { text: 'Types', link: '/types' },
      { text: 'Options and limits', link: '/options' },
      { text: 'Hosts', link: '/hosts' },
      { text: 'Calling an old service', link: '/soap-client' },
      { text: 'Recipes', link: '/recipes' },
      { text: 'Tools for language models', link: '/mcp' },
      { text: 'What is proven', link: '/expressiveness' },
      { text: 'Beside other libraries', link: '/others' },
    ],
  },
});
