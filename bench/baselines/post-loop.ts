// The baseline of P13: posts a message at fixed times, each over a connection of its own, and does nothing else.
// Arguments: the URL, how many a second, for how many seconds. Prints the CPU milliseconds of one.
import { randomBytes, randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const [url = "", rate, seconds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
/** As long as the message of an acceptance. */
const filler = randomBytes(450).toString("hex");
const cpu = process.cpuUsage();
const start = performance.now();
const posts: Promise<void>[] = [];
for (let n = 0; n < rate * seconds; n += 1) {
  const wait = start + (n * 1_000) / rate - performance.now();
  if (wait > 1) await delay(wait);
  posts.push(post());
}
await Promise.all(posts);
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(`${(user + system) / 1_000 / posts.length}\n`);

function post(): Promise<void> {
  const body = JSON.stringify({ id: randomUUID(), createdAt: new Date().toISOString(), data: filler });
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent: false, headers }, (response) => {
      response.resume().once("end", resolve);
    });
    sent.once("error", reject).end(body);
  });
}
