import type { Endpoint, Operation } from '@ws01/asmx';
import { createMcp, type McpListener } from '@ws01/asmx-tools/mcp';
import { ConfigError } from '../config/config-error.ts';
import { GUARDED, type Guarded, WS01 } from '../contract/service.ts';
import type { ResourceDeps, Resources } from './resources.ts';

/**
 * Serves the operations as tools of the Model Context Protocol at `/mcp`. The token comes as
 * `Authorization: Bearer`; its scopes decide which tools exist. Calls go through the endpoint and
 * use its budgets.
 * @throws {ConfigError} when the SDK is not installed.
 */
export async function createTools(
  { config, addresses }: ResourceDeps,
  { access }: Resources,
  endpoint: Endpoint,
): Promise<McpListener> {
  const openTo = (isOpen: (access: Guarded['access']) => boolean) => (operation: Operation) =>
    isOpen(GUARDED.get(operation.name)!.access);
  const make = () =>
    createMcp({
      service: WS01,
      endpoint,
      servicePath: config.servicePaths[0]!,
      bodyBytes: config.maxRequestBytes,
      hosts: config.baseUrl === undefined ? [] : [new URL(config.baseUrl).hostname],
      allows: async (request, token) => {
        if (token === undefined) return openTo((asked) => asked === undefined);
        const guarded = {
          name: 'The list of tools',
          access: { credential: 'Authorization', scope: 'articles' },
        } as const;
        const { scopes } = await access.identify(guarded, token, addresses.clientOf(request));
        return openTo((asked) => asked === undefined || scopes.has(asked.scope));
      },
    });
  try {
    return await make();
  } catch (error) {
    throw new ConfigError(`MCP is on. ${(error as Error).message}`);
  }
}
