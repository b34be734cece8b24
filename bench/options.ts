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
  /** A commit, or a folder with another checkout, that is compared with this tree. */
  readonly compare: string | undefined;
  /** After so many minutes a comparison begins nothing more. */
  readonly minutes: number;
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
      rounds: { type: "string" },
      soak: { type: "string", default: "60" },
      rows: { type: "string", default: "200000" },
      compare: { type: "string" },
      minutes: { type: "string", default: "20" },
      profile: { type: "boolean", default: false },
    },
  });
  const only = [...positionals, ...values.only.split(",")].filter((id) => id !== "").map((id) => id.toUpperCase());
  return {
    seconds: Number(values.seconds),
    // Six pairs that all say the same say it with 97 % certainty.
    rounds: Number(values.rounds ?? (values.compare === undefined ? 3 : 6)),
    soakSeconds: Number(values.soak),
    rows: Number(values.rows.replaceAll("_", "")),
    compare: values.compare,
    minutes: Number(values.minutes),
    profile: values.profile,
    wants: (...ids) => only.length === 0 || ids.some((id) => only.includes(id)),
  };
}
