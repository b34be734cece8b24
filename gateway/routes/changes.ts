/** The paths of an update mask: those of the changeable fields that the body has, null included. */
export const pathsIn = (body: object, changeable: Readonly<Record<string, string>>): string[] =>
  Object.entries(changeable).flatMap(([field, path]) => (Object.hasOwn(body, field) ? [path] : []));
