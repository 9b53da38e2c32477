import type { KeptLog } from './log.ts';

/** Where a service serves its metrics, by what its log says. */
export function metricsUrl(lines: KeptLog['lines']): string {
  const served = lines.find(({ msg }) => msg === 'metrics are served');
  if (served === undefined) throw new Error('no metrics are served');
  return `http://${served.host}:${served.port}/metrics`;
}

/** One scrape in the text format of Prometheus. */
export class Scrape {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  static async of(url: string): Promise<Scrape> {
    return new Scrape(await (await fetch(url)).text());
  }

  /** The value of a sample, by name and labels as they are written; `undefined` when there is none. */
  value(sample: string): number | undefined {
    const line = this.text.split('\n').find((one) => one.startsWith(`${sample} `));
    return line === undefined ? undefined : Number(line.slice(sample.length + 1));
  }

  /** Name, type and names of labels of each metric, histograms without `le`. */
  metrics(): Map<string, { readonly type: string; readonly labels: ReadonlySet<string> }> {
    const found = new Map<string, { type: string; labels: Set<string> }>();
    for (const [, name, type] of this.text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      found.set(name!, { type: type!, labels: new Set() });
    }
    for (const [, name, labels = ''] of this.text.matchAll(/^([a-z][\w:]*)(?:\{(.*)\})? /gm)) {
      const metric = found.get(name!) ?? found.get(name!.replace(/_(bucket|sum|count)$/, ''));
      if (metric === undefined) throw new Error(`${name} has no type`);
      for (const [, label] of labels.matchAll(/(\w+)="/g))
        if (label !== 'le') metric.labels.add(label!);
    }
    return found;
  }
}
