// A thread of a child process: ends the process when its parent is gone, whatever the rest of it is busy with.
import { workerData } from "node:worker_threads";

const parent = workerData as number;
const everyMs = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, everyMs);
