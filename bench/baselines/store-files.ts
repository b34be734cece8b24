// What P6 is compared with: decodes the PDF of its requests, hashes it and inserts it, each in a transaction of its own.
// Arguments: the seconds, how many at once, the URL of a database. Prints files a second.
import { createHash } from "node:crypto";
import pg from "pg";
import { eightDigits } from "../load/plan.ts";
import { numberedPdf } from "../measures/agreement-plan.ts";

const [seconds, connections, connectionString] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const pool = new pg.Pool({ connectionString, max: connections });
const text = await numberedPdf();
await pool.query("create table if not exists bench_file (sha256 bytea primary key, bytes bytea not null)");
await pool.query("alter table bench_file alter column bytes set storage external");
let number = 0;
await storeFor(1);
process.stdout.write(`${await storeFor(seconds)}\n`);
await pool.query("drop table bench_file");
await pool.end();

async function storeFor(time: number): Promise<number> {
  const start = performance.now();
  const first = number;
  const storeUntilOver = async (): Promise<void> => {
    while (performance.now() - start < time * 1000) await storeOne();
  };
  await Promise.all(Array.from({ length: connections }, storeUntilOver));
  return (number - first) / ((performance.now() - start) / 1000);
}

async function storeOne(): Promise<void> {
  const base64 = text.replace(eightDigits, String(number++).padStart(8, "0"));
  const bytes = Buffer.from(base64, "base64");
  await pool.query({
    name: "store-file",
    text: "insert into bench_file (sha256, bytes) values ($1, $2)",
    values: [createHash("sha256").update(bytes).digest(), bytes],
  });
}
