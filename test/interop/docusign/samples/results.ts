import { readFileSync } from "node:fs";
import { refusalOf } from "../support/sdk.ts";
import { accountPrograms } from "./account.ts";
import { routingPrograms } from "./routing.ts";
import { sendingPrograms } from "./sending.ts";
import type { Program, Stage } from "./stage.ts";
import { templatePrograms } from "./templates.ts";

/** DocuSign's sample programs for eSignature by their numbers: what they call, not how they are written. */
export const programs: Readonly<Record<string, Program>> = {
  ...sendingPrograms,
  ...templatePrograms,
  ...accountPrograms,
  ...routingPrograms,
};

export interface Promised {
  readonly number: string;
  readonly name: string;
  /** `works`, which may go on with what differs, or `refused` with the status, the code and the names in backquotes. */
  readonly result: string;
}

const page = new URL("../../../../docs/migrating-from-docusign.md", import.meta.url);

/** What the page about migrating promises of each program. */
export function promisedResults(): readonly Promised[] {
  const rows = readFileSync(page, "utf8").matchAll(/^\| (\d{3}) \| ([^|]+) \|[^|]+\| ([^|]+) \|$/gm);
  return [...rows].map(([, number = "", name = "", result = ""]) => ({ number, name, result }));
}

/** Runs a program. Returns the result as the page would say it. */
export async function resultOf(number: string, result: string, stage: Stage): Promise<string> {
  const program = programs[number];
  if (program === undefined) throw new Error(`there is no program ${number}`);
  if (result.startsWith("works")) {
    await program(stage);
    return result;
  }
  const { status, body } = await refusalOf(program(stage));
  const [said = "", ...names] = [...result.matchAll(/`([^`]+)`/g)].map(([, quoted = ""]) => quoted);
  const missing = names.filter((name) => !body.message.includes(name));
  return said === `${status} ${body.errorCode}` && missing.length === 0
    ? result
    : `refused: ${status} ${body.errorCode}: ${body.message}`;
}
