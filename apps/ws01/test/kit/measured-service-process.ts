/** The process that `measured-service.ts` starts: it serves, and answers one question after another about itself. */
import { pino } from 'pino';
import { startApp } from '../../src/app/app.ts';
import { loadConfig } from '../../src/config/config.ts';

let answered = 0;
const lines = {
  write: (line: string) => {
    if (line.includes('"msg":"answered"')) answered++;
  },
};
const started = startApp(loadConfig(process.env), pino({ level: 'info' }, lines));

const answers: Readonly<Record<string, () => unknown>> = {
  port: async () => (await started).port,
  answered: () => answered,
  memory: () => {
    // What was outside the heap is given back after the collection that found it, so that it takes two.
    global.gc!();
    global.gc!();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, held: heapUsed + external };
  },
};

process.on('message', async (question: string) => process.send!(await answers[question]!()));
