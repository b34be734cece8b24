import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { policyFlagPromises } from "#api/configuration.ts";
import { checkDeclinePolicy, checkPolicy } from "../../services/click/accept/policy-checks.ts";
import { checkVerification } from "../../services/click/accept/verification.ts";
import { effectivePolicy, type Policy } from "../../services/click/terms/policy.ts";
import { policyFlagNames } from "../../services/templates/domain/policy-flags.ts";

const root = resolve(import.meta.dirname, "../..");

const rows = Array.from(
  readFileSync(join(root, "docs/click.md"), "utf8").matchAll(
    /^\| `(\w+)` \| (accept|elsewhere|shown|recorded) \| (.*) \| \[[\w-]+\]\(\.\.\/(services\/[\w/.-]+\.test\.ts)\) \|$/gm,
  ),
  ([, flag = "", where = "", promise = "", test = ""]) => ({ flag, where, promise, test }),
);
/** What docs/click.md says of each flag: where it is enforced. */
const documented = new Map(rows.map(({ flag, where }) => [flag, where]));
const flagsOf = (where: string): string[] => policyFlagNames.filter((flag) => documented.get(flag) === where);

/** Where flags are declared, carried along or told to pages: naming them there does nothing. */
const carriers = /\/(policy|policy-flags|policy-tightening|render)\.ts$/;

describe("the table of policy flags in docs/click.md", () => {
  test("has every flag that there is, and no other", () => {
    expect([...documented.keys()].sort()).toEqual([...policyFlagNames].sort());
  });

  test("promises what the interface's description promises", () => {
    const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
    const promised = Object.fromEntries(rows.map(({ flag, promise }) => [flag, withoutLinks(promise)]));
    expect(promised).toEqual(policyFlagPromises);
  });

  test("names for each flag a suite that sets it", () => {
    const sets = ({ flag, test }: (typeof rows)[number]): boolean =>
      existsSync(join(root, test)) && new RegExp(`\\b${flag}\\b`).test(readFileSync(join(root, test), "utf8"));
    expect(rows.filter((row) => !sets(row))).toEqual([]);
  });

  test("says of each flag that acceptances are checked against that it is enforced there", () => {
    const checked = checkedFlags();
    expect(checked.size).toBeGreaterThan(9);
    expect([...checked].filter((flag) => documented.get(flag) !== "accept")).toEqual([]);
  });

  test("says of a flag that it is only recorded exactly when nothing looks at it", () => {
    const code = ["services/click", "services/templates"].flatMap(sourcesIn).join("\n");
    const unused = policyFlagNames.filter((flag) => !new RegExp(`\\b${flag}\\b`).test(code));
    expect(unused).toEqual(flagsOf("recorded"));
  });

  test("says that a flag is enforced at accept only of those that the way of an acceptance names", () => {
    const folders = ["accept", "receipts", "sessions", "terms"].map((name) => `services/click/${name}`);
    const code = folders.flatMap(sourcesIn).join("\n");
    expect(flagsOf("accept").filter((flag) => !new RegExp(`\\b${flag}\\b`).test(code))).toEqual([]);
  });
});

/** The flags that have a check when every one of them demands all that it can. */
function checkedFlags(): ReadonlySet<string> {
  const demanding = {
    ...Object.fromEntries(policyFlagNames.map((flag) => [flag, true])),
    ...{ minDisplaySeconds: 5, minAge: 18, verificationMethods: ["CUSTOMER_SESSION"], verificationMode: "ALL" },
  };
  const policy: Policy = effectivePolicy("STATIC", demanding);
  const facts = {
    ...{ type: "STATIC" as const, policy, body: {}, action: "BUTTON", isDirect: true, page: null },
    hasDisclosure: false,
    ...{ displayedSince: undefined, now: new Date(0) },
  };
  const checks = [...checkPolicy(facts), ...checkDeclinePolicy(facts), ...checkVerification(policy, [], undefined)];
  return new Set(checks.map(({ flag }) => flag).filter((flag) => flag !== "checkboxInitiallyChecked"));
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith(".ts") && !path.includes("/test/") && !carriers.test(path))
    .map((path) => readFileSync(join(root, path), "utf8"));
