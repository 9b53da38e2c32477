/** `npm run -s clauses`: whether every clause of the specification has its test. */
import { committedSources } from './spec/check-clauses.ts';
import { clausesCommand } from './spec/clauses-command.ts';

process.exitCode = clausesCommand(process.argv.slice(2), committedSources);
