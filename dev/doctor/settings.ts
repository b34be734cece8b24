import { ConfigError, type Environment, readSettings, type SettingValues } from "#platform/config.ts";
import { parseAdminTokens } from "#platform/rpc/callers.ts";
import { type commonSettings, requireProof } from "#platform/service-settings.ts";
import { configFromEnv as gateway } from "../../gateway/config.ts";
import { configFromEnv as auth } from "../../services/auth/config.ts";
import { configFromEnv as click } from "../../services/click/config.ts";
import { configFromEnv as convert } from "../../services/convert/config.ts";
import { configFromEnv as docgen } from "../../services/docgen/config.ts";
import { configFromEnv as sign } from "../../services/sign/config.ts";
import { configFromEnv as templates } from "../../services/templates/config.ts";
import { configFromEnv as webhooks } from "../../services/webhooks/config.ts";
import { type Finding, type Installation, notice, ok, wrong } from "./finding.ts";

const readers: ReadonlyMap<string, (env: Environment) => unknown> = new Map<string, (env: Environment) => unknown>([
  ["gateway", gateway],
  ["auth", auth],
  ["templates", templates],
  ["docgen", docgen],
  ["convert", convert],
  ["click", click],
  ["sign", sign],
  ["webhooks", webhooks],
]);

/** Whether each process would start with this environment, and what is set as only a test may set it. */
export function checkSettings(installation: Installation): Finding[] {
  const problems = new Map<string, { readonly says: string; readonly programs: string[] }>();
  for (const program of installation.programs) {
    for (const says of problemsOf(program, installation.env)) {
      // Each process says for itself what a missing setting is for; it is missing once.
      const key = /^[A-Z_]+ is required(?=:)/.exec(says)?.[0] ?? says;
      const known = problems.get(key);
      if (known === undefined) problems.set(key, { says, programs: [program.title] });
      else if (!known.programs.includes(program.title)) known.programs.push(program.title);
    }
  }
  const findings = [
    ...elsewhere(installation),
    ...[...problems.values()].map(({ says, programs }) =>
      wrong("settings", says, `Set it for ${programs.join(", ")}: docs/configuration.md.`),
    ),
  ];
  const names = installation.programs.map(({ title }) => title).join(", ");
  if (findings.length === 0) findings.push(ok("settings", `${names} would start with these settings settings`));
  return [...findings, ...weakSettings(installation)];
}

/** Whoever runs the doctor in a terminal has set nothing, and is told why so much is missing. */
function elsewhere({ env, programs }: Installation): Finding[] {
  const names = new Set(programs.flatMap(({ settings }) => Object.keys(settings)));
  names.delete("NODE_ENV");
  if ([...names].some((name) => isSet(env, name))) return [];
  return [
    notice(
      "settings",
      "this environment has no settings of any process",
      "Run the doctor where a process runs, or with its settings. While `npm start` runs an instance here, it checks that.",
    ),
  ];
}

function problemsOf(program: Installation["programs"][number], env: Environment): readonly string[] {
  const problems = [
    ...attempt(() => readers.get(program.title)?.(env)),
    ...attempt(() => requireProof(readSettings(program.settings, env) as SettingValues<typeof commonSettings>)),
  ];
  if (program.settings.NATS_URL !== undefined && !isSet(env, "NATS_URL")) {
    problems.push("NATS_URL is required: The NATS servers, comma-separated.");
  }
  return [...new Set(problems)];
}

const isSet = (env: Environment, name: string): boolean =>
  (env[name] ?? "") !== "" || (env[`${name}_FILE`] ?? "") !== "";

function attempt(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    throw error;
  }
}

const shortestToken = 24;

function weakSettings(installation: Installation): Finding[] {
  const findings: Finding[] = [];
  const isService = installation.programs.some(({ settings }) => settings.ADMIN_TOKEN !== undefined);
  const token = installation.text("ADMIN_TOKEN");
  if (isService && token === undefined) {
    findings.push(
      notice("admin token", "ADMIN_TOKEN is not set, so the admin commands do not work", "Set 32 random bytes in hex."),
    );
  } else if (token !== undefined && parseAdminTokens(token).some((one) => one.token.length < shortestToken)) {
    findings.push(wrong("admin token", "ADMIN_TOKEN is short enough to be guessed", "Set 32 random bytes in hex."));
  }
  if (installation.value("WEBHOOKS_ALLOW_PRIVATE") === true) {
    findings.push(
      wrong(
        "webhooks",
        "WEBHOOKS_ALLOW_PRIVATE lets customers reach everything this process can reach",
        "Remove it, except on a development machine.",
      ),
    );
  }
  return [...findings, ...weakGateway(installation), ...loudLogs(installation)];
}

function weakGateway(installation: Installation): Finding[] {
  if (!installation.has("gateway")) return [];
  const findings: Finding[] = [];
  const proxies = installation.value("TRUSTED_PROXIES");
  if (Array.isArray(proxies) && proxies.length === 0) {
    findings.push(
      notice(
        "proxies",
        "TRUSTED_PROXIES is empty, so behind a load balancer every client is recorded with its address",
        "Set the addresses of the load balancer, unless clients connect to the gateway themselves.",
      ),
    );
  }
  if (installation.value("FLOOD_GUARD_REQUESTS") === 0) {
    findings.push(notice("flood guard", "FLOOD_GUARD_REQUESTS is 0: the guard is off", "Leave it at its default."));
  }
  if (installation.text("NODE_ENV") !== "production") {
    findings.push(
      notice("gateway", "NODE_ENV is not production", "Set it: the gateway then refuses to start without its pages."),
    );
  }
  return findings;
}

function loudLogs(installation: Installation): Finding[] {
  const level = installation.text("LOG_LEVEL");
  if (level !== "debug" && level !== "trace") return [];
  return [
    notice("logs", `LOG_LEVEL is ${level}: a line for each RPC`, "Set info, except while you investigate a problem."),
  ];
}
