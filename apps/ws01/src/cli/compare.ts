import { Command } from 'commander';
import { compareOldContract, WsdlError } from '../app/old-contract.ts';
import { loadConfig } from '../config/config.ts';
import { CommandFailure } from './failure.ts';
import { print, printJson } from './io/output.ts';

export function compareCommand(): Command {
  return new Command('compare')
    .argument('<wsdl>', "the old service's WSDL: a file, or an http or https URL")
    .option('--service <name>', 'the service to compare, if the WSDL has several')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Lists for each operation what old clients would notice: names, order, types, optional parameters, results, namespace, SOAPAction, bindings. Addresses are shown, but are not differences. Needs no database.

Exit codes: 0 no differences; 1 there are differences, one per line; 2 the WSDL cannot be read.

Examples:
  ws01 compare http://old.example.com/WS01.asmx?WSDL
  SOAP_NAMESPACE=http://tempuri.org/ ws01 compare old.wsdl --json`,
    )
    .action(run);
}

async function run(source: string, { service, json }: { service?: string; json?: true }): Promise<void> {
  const compared = await compareOldContract(source, loadConfig(), service === undefined ? {} : { service }).catch(
    (error) => {
      throw error instanceof WsdlError ? new CommandFailure(error.message, { exitCode: 2 }) : error;
    },
  );
  await (json ? printJson(compared.json) : print(`${compared.lines.join('\n')}\n`));
  if (!compared.same) process.exitCode = 1;
}
