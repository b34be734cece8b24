import type { Finding, Status } from "../src/finding.ts";
import type { Verification } from "../src/verify-bundle.ts";

/** What the checks come to, for people. */
export interface Verdict {
  readonly name: "genuine" | "unproven" | "failed";
  readonly title: string;
  readonly text: string;
  /** Why it is no better. */
  readonly reasons: readonly Finding[];
}

export function verdictOf({ ok, checks }: Verification): Verdict {
  const failed = checks.filter(({ status }) => status === "FAIL");
  if (!ok) {
    const count = failed.length === 1 ? "One check" : `${failed.length} checks`;
    return {
      name: "failed",
      title: "Do not rely on this bundle",
      text: `${count} of ${checks.length} failed.`,
      reasons: failed,
    };
  }
  const withoutKeys = checks.some(({ check, status }) => check === "KEYS" && status === "NOT PRESENT");
  if (withoutKeys) {
    return {
      name: "unproven",
      title: "It agrees with itself, but nothing proves who made it",
      text: "Every check passed with the keys inside the bundle. A forger brings keys too: verify again with the keys of the installation.",
      reasons: [],
    };
  }
  return { name: "genuine", title: "Genuine", text: summary(checks), reasons: [] };
}

function summary(checks: readonly Finding[]): string {
  const count = (status: Status): number => checks.filter((finding) => finding.status === status).length;
  const parts = [
    `Nothing failed: ${count("PASS")} checks passed`,
    ...(count("NOT PRESENT") > 0 ? [`${count("NOT PRESENT")} had nothing to check`] : []),
    ...(count("ERASED") > 0 ? [`${count("ERASED")} concern data that was erased`] : []),
  ];
  const origin = checks.find(({ check }) => check === "BUNDLE_SIGNATURE")?.message ?? "";
  return `${origin} ${parts.join(", ")}.`;
}
