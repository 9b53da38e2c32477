/**
 * Makes something once for each shape of a request, such as the query that answers it, and keeps it.
 * @param nameOf the shape in few words; there must be but few shapes, since none is forgotten.
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
