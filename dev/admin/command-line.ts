import { parseArgs } from "node:util";
import { type Command, commands } from "./commands.ts";
import { services } from "./dead-event-commands.ts";
import { UsageError, type Values } from "./values.ts";

export { UsageError } from "./values.ts";

export interface CommandLine {
  /** Undefined when only help is asked for. */
  readonly command: Command | undefined;
  readonly values: Values;
  readonly json: boolean;
  readonly help: boolean;
}

/** Throws a UsageError for everything that is not a command with its options. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const json = args.includes("--json");
  const rest = args.filter((arg) => arg !== "--json");
  if (rest[0] === "help" || args.includes("--help") || args.includes("-h")) {
    return { command: undefined, values: {}, json, help: true };
  }
  if (rest.length === 0) throw new UsageError("a command is missing");
  const name = rest.slice(0, 2).join(" ");
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) throw new UsageError(`there is no command '${name}'`);
  return { command, values: parseOptions(command, rest.slice(2)), json, help: false };
}

function parseOptions(command: Command, args: readonly string[]): Values {
  try {
    return parseArgs({ args: withValues(command, args), options: command.options, strict: true }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Ids of keys are Base64url and may begin with a dash: what follows an option is its value, unless it is an option itself. */
function withValues(command: Command, args: readonly string[]): string[] {
  const isOption = (arg: string): boolean =>
    arg.startsWith("--") && Object.hasOwn(command.options, arg.slice(2).replace(/=.*/, ""));
  const joined: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    const next = args[at + 1];
    const takesValue = isOption(arg) && command.options[arg.slice(2)]?.type === "string";
    if (takesValue && next?.startsWith("-") === true && !isOption(next)) {
      joined.push(`${arg}=${next}`);
      at += 1;
    } else joined.push(arg);
  }
  return joined;
}

export const usageText = `Usage: npm run admin -- <command> [--json]

${commands.map(({ name, synopsis }) => `  ${name} ${synopsis}`.trimEnd()).join("\n")}

Plans: gen_starter, gen_pro, gen_hoa, business, gen_payg. Limits are requests per 60-second window.
lastUsedAt is exact to about a minute. Keys of clients are public keys in PEM, RSA or P-256, at most 5 a client;
a revoked one gets no tokens any more, those that it got live on for up to an hour (clients revoke ends them).
Purposes of evidence keys: receipt, log, render. A new key takes over at once; a revoked one is never used again.
Dead events are what a consumer gave up. A requeued one takes effect at once, a discarded one never; one that fails again
stays. list prints what the events say with --json only.
Services that have consumers, and those that have a master key: ${services.join(", ")}. master-keys reseal seals everything
anew with the first key, in the background; status tells how far it is and which keys may be taken away then.
--json prints exactly one line of JSON. Secrets are shown once, when they are made.
`;
