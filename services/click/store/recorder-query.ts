import type pg from "pg";

/** Longer than statement_timeout, so that it only ends the wait for a server that no longer answers at all. */
const answerMs = 6_000;

/** What pg says then; the connection is closed, and whether the statement took effect is not known. */
export const noAnswerMessage = "Query read timeout";

/** A prepared statement of the recorder, which commits by itself. Rejects when the server does not answer in time. */
export async function recorderQuery<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
): Promise<R[]> {
  // pg reads query_timeout here as well; its types know it only for whole connections.
  const config: pg.QueryConfig & { query_timeout: number } = { ...statement, query_timeout: answerMs };
  return (await pool.query<R>(config)).rows;
}
