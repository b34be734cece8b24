import { parseArgs } from "node:util";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { MasterKeyService } from "#gen/assent/operations/v1/master_keys_pb.ts";
import type { Environment } from "#platform/config.ts";
import { fromConnectError } from "#platform/errors.ts";
import { createAdminTransport } from "../admin-transport.ts";
import { type Command, commands } from "./commands.ts";
import { namedService, services } from "./dead-event-commands.ts";
import { findEndpoint } from "./endpoint.ts";
import { UsageError, type Values } from "./views.ts";

export interface AdminSurroundings {
  readonly env: Environment;
  out(text: string): void;
  err(text: string): void;
}

/** Runs one admin command and returns the exit code: 0 done, 1 failed, 2 wrongly called. */
export async function runAdmin(args: readonly string[], { env, out, err }: AdminSurroundings): Promise<0 | 1 | 2> {
  try {
    const { command, values, json, help } = parseCommandLine(args);
    if (help || command === undefined) {
      out(usageText);
      return 0;
    }
    const request = prepare(command, values);
    const isNamed = command.service === "named" || command.service === "sealing";
    const service = isNamed ? namedService(values) : command.service;
    const { adminUrl, adminToken } = findEndpoint(env, service);
    const result = await request(createAdminTransport(adminUrl, adminToken)).catch((error: unknown) => {
      throw new Error(explain(error, adminUrl), { cause: error });
    });
    out(json ? `${JSON.stringify(result)}\n` : toText(command.forPeople?.(result) ?? result));
    return 0;
  } catch (error) {
    err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof UsageError)) return 1;
    err(`\n${usageText}`);
    return 2;
  }
}

/** Checks the options, then returns what calls the service that answers the command. */
function prepare(command: Command, values: Values): (transport: Transport) => Promise<object> {
  if (command.service === "click") {
    const request = command.prepare(values);
    return (transport) => request(createClient(EvidenceAdminService, transport));
  }
  if (command.service === "named") {
    const request = command.prepare(values);
    return (transport) => request(createClient(DeadEventService, transport));
  }
  if (command.service === "sealing") {
    const request = command.prepare(values);
    return (transport) => request(createClient(MasterKeyService, transport));
  }
  const request = command.prepare(values);
  return (transport) => request(createClient(AdminService, transport));
}

function explain(error: unknown, adminUrl: string): string {
  const known = fromConnectError(error);
  if (known !== undefined) return [known.message, ...known.details.map((d) => `  ${d.field}: ${d.message}`)].join("\n");
  const { code, rawMessage } = ConnectError.from(error);
  if (code === Code.Unauthenticated)
    return `${adminUrl} refuses the admin token. Is it the token this instance was started with?`;
  if (code === Code.Unavailable) return `nothing answers at ${adminUrl} (${rawMessage}). Is Assent running?`;
  return rawMessage;
}

/** A command's result for people: one line per field, or one line per entry of a list. */
function toText(result: object): string {
  const fields = Object.entries(result);
  const [first] = fields;
  if (fields.length === 1 && first !== undefined && Array.isArray(first[1])) return listText(first[0], first[1]);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`).join("");
}

function listText(name: string, entries: readonly object[]): string {
  const [first] = entries;
  if (first === undefined) return `no ${name}\n`;
  const columns = Object.keys(first);
  const rows = [columns, ...entries.map((entry) => Object.values(entry).map(cell))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? "").length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, index) => text.padEnd(widths[index] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.join(" ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}=${cell(part)}`)
    .join(" ");
}

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
lastUsedAt is exact to about a minute. Keys of clients are public keys in PEM, RSA or P-256, at most 5 per client.
A revoked key gets no new tokens; its tokens stay valid for up to an hour (clients revoke ends them).
Purposes of evidence keys: receipt, log, render. A new key takes over immediately; a revoked one is never used again.
Dead events are events that a consumer gave up. A requeued event takes effect immediately, a discarded one never; one
that fails again stays. list prints the content of events only with --json.
Services with consumers, and services with a master key: ${services.join(", ")}. master-keys reseal seals
everything again with the first key, in the background; status shows the progress, and which keys you can remove then.
--json prints exactly one line of JSON. Secrets are shown once, when they are made.
`;
