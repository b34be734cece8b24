import { answerJobs } from "../worker-jobs.ts";

export type TestJob =
  | { readonly kind: "echo"; readonly value: unknown }
  | { readonly kind: "throw" }
  | { readonly kind: "spin" }
  | { readonly kind: "exit" }
  | { readonly kind: "fill memory" };

let jobs = 0;

/** Answers how many jobs this thread has had, and the value of an echo. */
answerJobs((job: TestJob): { jobs: number; value?: unknown } => {
  jobs += 1;
  switch (job.kind) {
    case "echo":
      return { jobs, value: job.value };
    case "throw":
      throw new RangeError("as asked");
    case "spin":
      for (;;) if (jobs < 0) return { jobs };
    case "exit":
      return process.exit(3);
    case "fill memory": {
      const filled: number[][] = [];
      for (;;) filled.push(Array.from({ length: 10_000 }, (_, index) => index + filled.length));
    }
  }
});
