import type pg from "pg";

/** Adds a value to those of a statement and answers how the statement names it. */
export type Parameter = (value: unknown) => string;

/** A statement that writes, and can be a part of a larger one. */
export interface Write {
  /** The same name always has the same text. Short: the database knows statements by 63 characters. */
  readonly name: string;
  text(parameter: Parameter): string;
}

/**
 * Runs writes of different tables as one statement, in one round trip: foreign keys are checked at its end. Answers how
 * many rows the first one has written. All of them see the tables as they were before.
 */
export async function writeTogether(client: pg.PoolClient, writes: readonly Write[]): Promise<number> {
  if (writes.length === 0) return 0;
  const values: unknown[] = [];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const steps = writes.map(
    ({ text }, index) => `w${index} as (${text(parameter)}${index === 0 ? " returning 1" : ""})`,
  );
  const { rows } = await client.query<{ written: number }>({
    name: `sign-${writes.map(({ name }) => name).join("-")}`,
    text: `with ${steps.join(",\n")} select count(*)::integer as written from w0`,
    values,
  });
  return rows[0]?.written ?? 0;
}
