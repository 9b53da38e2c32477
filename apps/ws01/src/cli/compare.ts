import { Command } from 'commander';
import {
  compareOldContract,
  LOAD_OPTION_TEXTS,
  loadOptionsOf,
  UsageError,
  WsdlError,
} from '../app/old-contract.ts';
import { loadConfig } from '../config/config.ts';
import { UsageFailure } from './failure.ts';
import { gather, withJson } from './io/options.ts';
import { print, printJson } from './io/output.ts';

export function compareCommand(): Command {
  return withJson(
    new Command('compare')
      .argument('<wsdl>', "the old service's WSDL: a file, or an http or https URL")
      .option('--service <name>', 'the service to compare, if the WSDL has several')
      .option('--network <cidr>', LOAD_OPTION_TEXTS.network, gather)
      .option('--limit <name=n>', LOAD_OPTION_TEXTS.limit, gather),
    `Lists for each operation what old clients would notice: names, order, types, optional parameters, results, namespace, SOAPAction, bindings. Addresses are shown, but are not differences. Needs no database.

Exit codes: 0 no differences; 1 there are differences, one per line; 2 the WSDL cannot be read.

Examples:
  ws01 compare http://old.example.com/WS01.asmx?WSDL
  SOAP_NAMESPACE=http://tempuri.org/ ws01 compare old.wsdl --json`,
  ).action(run);
}

interface CompareOptions {
  readonly service?: string;
  readonly network?: readonly string[];
  readonly limit?: readonly string[];
  readonly json?: true;
}

async function run(source: string, { service, json, ...load }: CompareOptions): Promise<void> {
  const compared = await comparison(source, service, load);
  await (json ? printJson(compared.json) : print(`${compared.lines.join('\n')}\n`));
  if (!compared.same) process.exitCode = 1;
}

/** @throws {CommandFailure} for options that are wrong, and a WSDL that cannot be read. */
async function comparison(
  source: string,
  service: string | undefined,
  load: Pick<CompareOptions, 'network' | 'limit'>,
) {
  try {
    const chosen = service === undefined ? {} : { service };
    return await compareOldContract(source, loadConfig(), { ...chosen, ...loadOptionsOf(load) });
  } catch (error) {
    if (error instanceof UsageError) throw new UsageFailure(`${error.message}.`);
    if (error instanceof WsdlError) throw new UsageFailure(error.message);
    throw error;
  }
}
