import { readFileSync } from "node:fs";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";

/** A command that one service answers. */
export interface CommandOf<AdminClientOfService> {
  readonly name: string;
  /** The options as the usage text shows them. */
  readonly synopsis: string;
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
  /** Checks the options, then returns what makes the call and resolves with the answer to print. */
  prepare(values: Values): (admin: AdminClientOfService) => Promise<object>;
  /** The answer as it is printed without --json, where that is too much to read. */
  forPeople?(result: object): object;
}

/** The command was not called as the usage text says. */
export class UsageError extends Error {}

/** Options as they stand on the command line. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

export function requiredText(values: Values, option: string): string {
  const value = values[option];
  if (typeof value !== "string" || value.trim() === "") throw new UsageError(`--${option} is missing`);
  return value;
}

/** A positive whole number, or undefined when the option is not given. */
export function optionalCount(values: Values, option: string): number | undefined {
  const value = values[option];
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new UsageError(`--${option} must be a whole number from 1 to 999999999`);
}

/** The content of a file with a public key. A private key is refused before it leaves the machine. */
function requiredPublicKey(values: Values, option: string): string {
  const file = requiredText(values, option);
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--${option} cannot be read: ${(error as Error).message}`);
  }
  if (content.includes("PRIVATE KEY")) {
    throw new UsageError(`--${option} holds a private key, which stays where it is; name the file of its public key`);
  }
  return content;
}

const plans = new Map([
  ["gen_starter", Plan.GEN_STARTER],
  ["gen_pro", Plan.GEN_PRO],
  ["gen_hoa", Plan.GEN_HOA],
  ["business", Plan.BUSINESS],
  ["gen_payg", Plan.GEN_PAYG],
]);

export function requiredPlan(values: Values): Plan {
  const plan = plans.get(requiredText(values, "plan"));
  if (plan === undefined) throw new UsageError(`--plan must be one of ${[...plans.keys()].join(", ")}`);
  return plan;
}

/** The plan as the command line writes it. */
export const planName = (plan: Plan): string => [...plans].find(([, value]) => value === plan)?.[0] ?? "unknown";

/** Scopes separated by blanks or commas. */
function requiredScopes(values: Values): string[] {
  return requiredText(values, "scopes")
    .split(/[\s,]+/)
    .filter((scope) => scope !== "");
}

/** Options that are not one text. */
const readers = {
  plan: requiredPlan,
  scopes: requiredScopes,
  "public-key-file": (values: Values) => requiredPublicKey(values, "public-key-file"),
} as const satisfies Readonly<Record<string, (values: Values) => unknown>>;
type ReadBy<Option> = Option extends keyof typeof readers ? ReturnType<(typeof readers)[Option]> : string;

/** What stands for a value in the usage text, where that is not the first letter of its option. */
const placeholders: Readonly<Record<string, string>> = { by: "WHO", scopes: '"S S …"', "public-key-file": "F" };

/** A command whose options are all required: `needs` has the option of each member of its request. */
export function requiring<Admin, const Needs extends Readonly<Record<string, string>>>(
  name: string,
  needs: Needs,
  call: (admin: Admin, request: { -readonly [Name in keyof Needs]: ReadBy<Needs[Name]> }) => Promise<object>,
  forPeople?: (result: object) => object,
): CommandOf<Admin> {
  const members = Object.entries(needs);
  const read = (values: Values, option: string): unknown =>
    option in readers ? readers[option as keyof typeof readers](values) : requiredText(values, option);
  return {
    name,
    synopsis: members
      .map(([, option]) => `--${option} ${placeholders[option] ?? option.charAt(0).toUpperCase()}`)
      .join(" "),
    options: Object.fromEntries(members.map(([, option]) => [option, { type: "string" }])),
    prepare(values) {
      const request = Object.fromEntries(members.map(([member, option]) => [member, read(values, option)]));
      return (admin) => call(admin, request as Parameters<typeof call>[1]);
    },
    ...(forPeople && { forPeople }),
  };
}
