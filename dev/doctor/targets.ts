import { randomBytes } from "node:crypto";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { ConverterService } from "#gen/assent/convert/v1/convert_pb.ts";
import { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { InstallationService, type SettingFingerprint } from "#gen/assent/operations/v1/installation_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import { createInternalTokens, parseInternalKeys } from "#platform/rpc/callers.ts";
import { createGrpcTransport, type GrpcTransport } from "#platform/rpc/client.ts";
import type { TlsFiles } from "#platform/rpc/tls.ts";
import { settingFingerprint, sharedSettings } from "#platform/service-settings.ts";
import { type Finding, type Installation, ok, reasonOf, skipped, wrong } from "./finding.ts";

export const patienceMs = 3_000;

/** What each of them offers and nobody else does. */
export const targets: ReadonlyMap<string, DescService> = new Map<string, DescService>([
  ["AUTH_TARGET", TokenService],
  ["TEMPLATES_TARGET", TemplatesService],
  ["CLICK_TARGET", ClickService],
  ["DOCGEN_TARGET", DocgenService],
  ["SIGN_TARGET", SignService],
  ["CONVERT_TARGET", ConverterService],
  ["WEBHOOKS_TARGET", WebhooksService],
]);

/** Whether the right service answers at each address, wants requests, and has the settings that all must share. */
export async function checkTargets(installation: Installation): Promise<Finding[]> {
  const names = installation.programs.flatMap(({ settings }) =>
    Object.keys(settings).filter((name) => name.endsWith("_TARGET")),
  );
  const nonce = randomBytes(32);
  const asked = await Promise.all([...new Set(names)].sort().map((name) => askTarget(installation, name, nonce)));
  return [...asked.map(({ finding }) => finding), ...compare(installation, asked, nonce)];
}

interface Asked {
  readonly finding: Finding;
  /** Who answered, and what it has; absent when it did not say so. */
  readonly service?: string;
  readonly settings?: readonly SettingFingerprint[];
}

/** As the processes call each other. */
export function connect(installation: Installation, target: string, services: readonly DescService[]): GrpcTransport {
  const keys = parseInternalKeys(installation.text("INTERNAL_TOKEN_KEYS") ?? "");
  const tokens = keys.length === 0 ? undefined : createInternalTokens({ keys: () => keys, now: () => Date.now() });
  return createGrpcTransport({ target, services, tls: wireFiles(installation), tokens });
}

async function askTarget(installation: Installation, name: string, nonce: Buffer): Promise<Asked> {
  const target = installation.text(name);
  if (target === undefined) return { finding: skipped(name, "it is not set") };
  let transport: GrpcTransport | undefined;
  try {
    transport = connect(installation, target, [Health, InstallationService]);
    return await identify(transport, name, target, nonce);
  } catch (error) {
    const todo = "Check that the service runs and is ready, the address, and the certificates of both sides.";
    return { finding: wrong(name, `${target} does not answer: ${reasonOf(error)}`, todo) };
  } finally {
    transport?.close();
  }
}

async function identify(transport: GrpcTransport, name: string, target: string, nonce: Buffer): Promise<Asked> {
  const health = createClient(Health, transport);
  const { status } = await health.check({}, { timeoutMs: patienceMs });
  const wanted = name.replace("_TARGET", "").toLowerCase();
  const isService = await health.check({ service: targets.get(name)?.typeName ?? "" }, { timeoutMs: patienceMs }).then(
    () => true,
    (error: unknown) => {
      if (ConnectError.from(error).code === Code.NotFound) return false;
      throw error;
    },
  );
  const said = await createClient(InstallationService, transport)
    .compareSettings({ nonce }, { timeoutMs: patienceMs })
    .catch((error: unknown) => ConnectError.from(error));
  if (!isService) {
    const who = said instanceof ConnectError || said.service === "" ? "someone else" : said.service;
    return { finding: wrong(name, `at ${target} is ${who}, not ${wanted}`, `Set the address of ${wanted}.`) };
  }
  if (said instanceof ConnectError && [Code.Unauthenticated, Code.PermissionDenied].includes(said.code)) {
    const todo = "Give all processes the same INTERNAL_TOKEN_KEYS, or certificates whose names RPC_OWN_NAMES lists.";
    return { finding: wrong(name, `${target} does not recognize this process as part of the installation`, todo) };
  }
  if (status !== ServingStatus.SERVING) {
    const todo = "Check its log for the reason.";
    return { finding: wrong(name, `${target} answers, but is not ready`, todo) };
  }
  const finding = ok(name, `${target} is ready`);
  // One of the release before does not say what it has.
  return said instanceof ConnectError ? { finding } : { finding, service: said.service, settings: said.settings };
}

/** Whether those who have a shared setting have the same. Nobody has told the value. */
function compare(installation: Installation, asked: readonly Asked[], nonce: Buffer): Finding[] {
  return sharedSettings.flatMap((name) => {
    const holders = new Map<string, string>();
    const isKnown = installation.programs.some(({ settings }) => settings[name] !== undefined);
    const own = installation.value(name);
    if (isKnown && typeof own === "string") holders.set("this process", hex(settingFingerprint(name, own, nonce)));
    for (const { service = "", settings = [] } of asked) {
      const found = settings.find((setting) => setting.name === name);
      if (found !== undefined) holders.set(service, hex(found.fingerprint));
    }
    if (holders.size < 2) return [];
    const groups = Map.groupBy(holders.keys(), (holder) => holders.get(holder));
    const lists = [...groups.values()].map((group) => group.join(", "));
    if (lists.length === 1) return [ok(name, `the same in ${lists[0]}`)];
    return [wrong(name, `it is not the same in ${lists.join(" and in ")}`, "Use the same value in all processes.")];
  });
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function wireFiles(installation: Installation): TlsFiles | undefined {
  const [cert, key, ca] = ["RPC_TLS_CERT_FILE", "RPC_TLS_KEY_FILE", "RPC_TLS_CA_FILE"].map(installation.text);
  return cert === undefined || key === undefined || ca === undefined ? undefined : { cert, key, ca };
}
