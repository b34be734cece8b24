/** Columns with their types, in the order of the arrays that bring their values. */
export type Columns = Readonly<Record<string, string>>;

export const columnNames = (columns: Columns): string => Object.keys(columns).join(", ");

/** The arguments of unnest: one array parameter per column, the first of them numbered as given. */
export const arrayParameters = (columns: Columns, first: number): string =>
  Object.values(columns)
    .map((type, index) => `$${first + index}::${type}[]`)
    .join(", ");
