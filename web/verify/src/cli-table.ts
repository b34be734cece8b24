import type { Finding, Status } from "./finding.ts";
import type { Verification } from "./verify-bundle.ts";

/** Narrower messages are no easier to read than unwrapped ones. */
const minMessageWidth = 30;

/** The findings as a table, one line each unless the terminal is narrower, and what they come to. */
export function table({ ok, checks }: Verification, columns: number | undefined): string {
  const rows = checks.map(
    (finding) => [finding.status, finding.check, finding.record ?? "-", finding.message] as const,
  );
  const header = ["STATUS", "CHECK", "RECORD", "MESSAGE"] as const;
  const widths = [0, 1, 2].map((n) => Math.max(...[header, ...rows].map((row) => (row[n] ?? "").length)));
  const indent = widths.reduce((sum, width) => sum + width + 2, 0);
  const room = columns === undefined ? 0 : columns - indent;
  const lines = [header, ...rows].flatMap((row) => {
    const start = widths.map((width, n) => (row[n] ?? "").padEnd(width + 2)).join("");
    const [first = "", ...rest] = wrap(row[3], room);
    return [start + first, ...rest.map((line) => " ".repeat(indent) + line)];
  });
  return `${lines.join("\n")}\n\n${verdict(ok, checks)}\n`;
}

function wrap(message: string, width: number): string[] {
  if (width < minMessageWidth) return [message];
  const lines: string[] = [];
  let line = "";
  for (const word of message.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

const statuses: readonly Status[] = ["PASS", "FAIL", "NOT PRESENT", "ERASED"];

function verdict(ok: boolean, checks: readonly Finding[]): string {
  const counts = statuses
    .map((status) => [status, checks.filter((finding) => finding.status === status).length] as const)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  return `Result: ${ok ? "nothing failed" : "FAILED"} (${counts.join(", ")})${warning(ok, checks)}`;
}

function warning(ok: boolean, checks: readonly Finding[]): string {
  const isUnproven = checks.some(({ check, status }) => check === "KEYS" && status === "NOT PRESENT");
  return ok && isUnproven
    ? "\nThe bundle agrees with itself; without a key file (--keys) nothing proves who made it."
    : "";
}
