// A thread that ends a child process when its parent is gone, even while a job blocks the main thread.
import { workerData } from "node:worker_threads";

const parent = workerData as number;
const everyMs = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, everyMs);
