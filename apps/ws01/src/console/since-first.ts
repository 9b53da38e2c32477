/** As many points a chart has at least, so that the first with something in it is seen beside others. */
const LEAST_POINTS = 12;

/**
 * The points of a chart from the last empty one before something happened, the oldest first: a site of yesterday has no
 * 90 days to show.
 */
export function sinceFirst<P>(points: readonly P[], isEmpty: (point: P) => boolean): readonly P[] {
  const first = points.findIndex((point) => !isEmpty(point));
  const latest = Math.max(0, points.length - LEAST_POINTS);
  return points.slice(Math.min(Math.max(0, first - 1), latest));
}
