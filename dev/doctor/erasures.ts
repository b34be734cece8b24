import type { ApplyErasureListResponse } from "#gen/assent/auth/v1/auth_pb.ts";
import { createPool } from "#platform/db/pool.ts";
import { parseMasterKeys } from "#platform/secrets.ts";
import { deriveKeys } from "../../services/auth/domain/secrets.ts";
import { compareList } from "../../services/auth/privacy/apply-erasure-list.ts";
import { createErasureList } from "../../services/auth/privacy/erasure-list.ts";
import { type Finding, type Installation, notice, ok, reasonOf, skipped, wrong } from "./finding.ts";
import { roleOf } from "./roles.ts";

const check = "erasures";
const apply = "npm run -s admin -- erasures apply (docs/operations.md, Restore)";

const noList = notice(
  check,
  "no list of erasures is kept outside the database",
  "Set ERASURE_LIST: after a backup is restored, everyone erased since must be erased again.",
);

/** Whether the database knows of all erasures that stand in the list: after a restore it may not. */
export async function checkErasures(installation: Installation, url: string): Promise<Finding[]> {
  if (!installation.has("auth")) return [];
  const folder = installation.text("ERASURE_LIST");
  if (folder === undefined) return [noList];
  const key = installation.text("AUTH_MASTER_KEY");
  if (key === undefined) return [skipped(check, "AUTH_MASTER_KEY is not usable")];
  const keys = parseMasterKeys(key);
  const role = roleOf(installation, "auth");
  const pool = createPool({ url, name: "assent-doctor", max: 1, ...(role !== undefined && { role }) });
  try {
    const list = createErasureList(folder, deriveKeys(keys, () => keys[0]).erasureKek);
    const { listed, missing, unreadable } = await compareList(pool, list);
    return compared({ listed, missing: missing.length, unreadable });
  } catch (error) {
    return [
      wrong(
        check,
        `the list cannot be read: ${reasonOf(error)}`,
        "Make the folder of ERASURE_LIST readable and writable for auth.",
      ),
    ];
  } finally {
    await pool.end();
  }
}

/** The same as a running auth service tells it. */
export const erasuresOfRunning = (answer: ApplyErasureListResponse): Finding[] =>
  answer.isKept ? compared(answer) : [noList];

type Compared = Pick<ApplyErasureListResponse, "listed" | "missing" | "unreadable">;

function compared({ listed, missing, unreadable }: Compared): Finding[] {
  const findings: Finding[] = [];
  if (missing > 0) {
    const says = `${missing} of the list are not in the database, so it is older than they are`;
    findings.push(wrong(check, says, `Set the legal holds of that time again, then ${apply}.`));
  }
  if (unreadable > 0) {
    const todo = "Add the previous key after the new one, or remove files that are older than every backup.";
    findings.push(wrong(check, `${unreadable} of the list open with no key of AUTH_MASTER_KEY`, todo));
  }
  return findings.length > 0 ? findings : [ok(check, `the database has all ${listed} of the list`)];
}
