import { parentPort } from "node:worker_threads";

/** What a thread of a pool sends to it: first that it is ready, then one answer per job. */
export type WorkerAnswer<Output> = { readonly ready: true } | { readonly output: Output } | { readonly error: unknown };

/**
 * Makes this module the module of a worker pool: answers each job with what `handle` returns or throws. What of an answer
 * is handed over instead of copied says `transferOf`.
 */
export function answerJobs<Input, Output>(
  handle: (input: Input) => Output,
  transferOf: (output: Output) => readonly ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("this module runs in a thread of a worker pool only");
  const send = (answer: WorkerAnswer<Output>, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(answer, [...transfer]);
  port.on("message", (input: Input) => {
    let output: Output;
    try {
      output = handle(input);
    } catch (error) {
      send({ error });
      return;
    }
    send({ output }, transferOf(output));
  });
  send({ ready: true });
}
