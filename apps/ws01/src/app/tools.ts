import type { Endpoint } from '@ws01/asmx';
import { createMcp, type McpListener } from '@ws01/asmx-tools/mcp';
import { ConfigError } from '../config/config-error.ts';
import type { Ws01Operation } from '../contract/parameters.ts';
import { WS01 } from '../contract/service.ts';
import type { ResourceDeps, Resources } from './resources.ts';

type Predicate = (operation: Pick<Ws01Operation, 'access'>) => boolean;

/**
 * Serves the operations as tools of the Model Context Protocol at `/mcp`. The token comes as `Authorization: Bearer`;
 * its scopes decide which tools exist. Calls go through the endpoint and use its budgets.
 * @throws {ConfigError} when the SDK is not installed.
 */
export async function createTools(
  { config, addresses }: ResourceDeps,
  { access }: Resources,
  endpoint: Endpoint,
): Promise<McpListener> {
  const isOpen: Predicate = (operation) => operation.access === undefined;
  const make = () =>
    createMcp<typeof WS01>({
      service: WS01,
      endpoint,
      servicePath: config.servicePaths[0]!,
      bodyBytes: config.maxRequestBytes,
      hosts: config.baseUrl === undefined ? [] : [new URL(config.baseUrl).hostname],
      credential: (operation) => operation.access?.credential,
      hints: ({ name, writes }) => ({ readOnly: !writes, destructive: /^Dele/.test(name) }),
      allows: async (request, token): Promise<Predicate> => {
        if (token === undefined) return isOpen;
        const guarded = {
          name: 'The list of tools',
          access: { credential: 'Authorization', scope: 'articles' },
        } as const;
        const { scopes } = await access.identify(guarded, token, addresses.clientOf(request));
        return (operation) => operation.access === undefined || scopes.has(operation.access.scope);
      },
    });
  try {
    return await make();
  } catch (error) {
    throw new ConfigError(`MCP is on. ${(error as Error).message}`);
  }
}
