import type { TestContext } from 'node:test';
import { startService, type TestService, TOKEN } from '../../kit/service.ts';

/** Calls an operation over HTTP POST, as an application does. @returns what it answers, as text. */
export async function call(service: TestService, operation: string, fields: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({ token: TOKEN, ...fields });
  const answer = await fetch(`${service.url}/WS01.asmx/${operation}`, { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${operation}: ${text}`);
  return />([^<]*)<\/string>/.exec(text)?.[1] ?? text;
}

/** A service with something of most kinds in it. */
export async function filledService(t: TestContext): Promise<TestService> {
  const service = await startService(t);
  await call(service, 'InsertArticle', {
    guid: 'flat',
    caption: 'Flat to let',
    content: 'Two rooms.\nQuiet.',
    CreateUserId: 'ada',
  });
  await call(service, 'InsertArticle', {
    guid: 'flat',
    caption: 'Flat to let',
    content: 'Three rooms.\nQuiet.',
    CreateUserId: 'ada',
  });
  for (const number of [1, 2, 3]) {
    await call(service, 'InsertArticle', {
      guid: `bike-${number}`,
      caption: `Bicycle ${number} 自行车`,
      content: 'As good as new.',
      CreateUserId: 'bob',
    });
  }
  return service;
}
