import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Length of one round of load. */
  readonly seconds: number;
  /** Baseline and product take turns this many times; the medians count. */
  readonly rounds: number;
  /** Length of the load under which memory is watched. */
  readonly soakSeconds: number;
  /** Acceptances in the large database of P4. */
  readonly rows: number;
  /** Whether gateway and click leave CPU profiles; slows them down. */
  readonly profile: boolean;
  wants(...ids: readonly string[]): boolean;
}

/** `--only p1,p4`, or the ids as they are; without any, everything is measured. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string", default: "" },
      seconds: { type: "string", default: "6" },
      rounds: { type: "string", default: "3" },
      soak: { type: "string", default: "60" },
      rows: { type: "string", default: "200000" },
      profile: { type: "boolean", default: false },
    },
  });
  const only = [...positionals, ...values.only.split(",")].filter((id) => id !== "").map((id) => id.toUpperCase());
  return {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    soakSeconds: Number(values.soak),
    rows: Number(values.rows.replaceAll("_", "")),
    profile: values.profile,
    wants: (...ids) => only.length === 0 || ids.some((id) => only.includes(id)),
  };
}
