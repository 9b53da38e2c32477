/**
 * A cache by the shape of a request, such as of the query that answers it.
 * @param nameOf names the shape; there must be few, because entries are never evicted.
 */
export function perShape<Shape, Made>(
  nameOf: (shape: Shape) => string,
  make: (shape: Shape) => Made,
): (shape: Shape) => Made {
  const kept = new Map<string, Made>();
  return (shape) => {
    const name = nameOf(shape);
    const made = kept.get(name) ?? make(shape);
    kept.set(name, made);
    return made;
  };
}
