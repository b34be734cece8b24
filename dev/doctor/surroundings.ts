import { randomBytes } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { createTransport } from "nodemailer";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import { createGrpcTransport } from "#platform/rpc/client.ts";
import type { TlsFiles } from "#platform/rpc/tls.ts";
import { createTimestampAuthority } from "#platform/timestamps/timestamp-authority.ts";
import { readCertificates } from "../../services/sign/seal/seal-signer.ts";
import { type Finding, notice, ok, reasonOf, skipped, wrong } from "./finding.ts";
import type { Installation } from "./installation.ts";

const patienceMs = 3_000;

/** The addresses that people and records use. */
export async function checkAddresses(installation: Installation): Promise<Finding[]> {
  const named = ["PUBLIC_URL", "EVIDENCE_ISSUER"].flatMap((name) => {
    const url = installation.text(name);
    return url === undefined ? [] : [addressFinding(name, new URL(url))];
  });
  const publicUrl = installation.text("PUBLIC_URL");
  if (publicUrl !== undefined) return [...named, await reach(publicUrl)];
  if (!installation.has("gateway")) return named;
  return [
    ...named,
    notice("PUBLIC_URL", "it is not set, so links are made from what each request says", "Set the public address."),
  ];
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

function addressFinding(name: string, url: URL): Finding {
  if (isLoopback(url.hostname)) {
    return notice(name, `${url.origin} is an address of this machine`, "Set the address that others reach it by.");
  }
  if (url.protocol === "https:") return ok(name, url.origin);
  const todo =
    name === "EVIDENCE_ISSUER"
      ? "Set https before the first receipt; afterwards it must stay as it is."
      : "Put a load balancer with a certificate before the gateway and set its https address.";
  return wrong(name, `${url.origin} is not https`, todo);
}

async function reach(publicUrl: string): Promise<Finding> {
  const check = "public address";
  const todo = "Check DNS, the certificate and the load balancer; from inside a cluster it may be out of reach.";
  try {
    const response = await fetch(`${publicUrl.replace(/\/+$/, "")}/healthz`, {
      signal: AbortSignal.timeout(patienceMs),
    });
    await response.body?.cancel();
    if (response.ok) return ok(check, "a gateway answers there");
    return notice(check, `it answers ${response.status} instead of a gateway`, todo);
  } catch (error) {
    return notice(check, `it does not answer: ${reasonOf(error)}`, todo);
  }
}

/** Sends one hash of random bytes, as every seal and every anchor does. */
export async function checkTimestamps(installation: Installation): Promise<Finding[]> {
  if (!installation.has("sign") && !installation.has("click")) return [];
  const url = installation.text("TSA_URL");
  if (url === undefined) {
    return [
      notice("time stamps", "TSA_URL is not set: nobody else proves since when records exist", "docs/evidence.md."),
    ];
  }
  const trusted = trustedAuthorities(installation);
  try {
    await createTimestampAuthority({ url, trusted, timeoutMs: 10_000 }).stamp(randomBytes(32));
    if (trusted.length > 0) return [ok("time stamps", "the authority answers, and its chain is trusted")];
    return [
      notice(
        "time stamps",
        "the authority answers, but nothing says which certificates it must have",
        "Set TSA_CERTIFICATES for sign and TSA_CA_FILE for click.",
      ),
    ];
  } catch (error) {
    return [wrong("time stamps", `no usable stamp: ${reasonOf(error)}`, "Check TSA_URL and the trusted certificates.")];
  }
}

function trustedAuthorities(installation: Installation): string[] {
  const ofClick = installation.value("TSA_CA_FILE");
  if (installation.has("click") && Array.isArray(ofClick) && ofClick.length > 0) return ofClick;
  const ofSign = installation.text("TSA_CERTIFICATES") ?? "";
  return readCertificates(ofSign).map((certificate) => certificate.toString());
}

/** Connects and logs in; sends nothing. */
export async function checkMail(installation: Installation): Promise<Finding[]> {
  if (!installation.has("sign") && !installation.has("auth")) return [];
  const url = installation.text("SMTP_URL");
  if (url === undefined) {
    return [notice("mail", "SMTP_URL is not set: nobody is invited or reminded by mail", "docs/mail.md tells how.")];
  }
  const limits = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs };
  const transport = createTransport({ url, ...limits });
  try {
    await transport.verify();
    return [ok("mail", "the server takes our login")];
  } catch (error) {
    return [wrong("mail", `the server cannot be used: ${reasonOf(error)}`, "Check host, port and login in SMTP_URL.")];
  } finally {
    transport.close();
  }
}

/** Whether somebody answers at each address of another service and wants requests. */
export async function checkTargets(installation: Installation): Promise<Finding[]> {
  const names = installation.programs.flatMap(({ settings }) =>
    Object.keys(settings).filter((name) => name.endsWith("_TARGET")),
  );
  return Promise.all([...new Set(names)].sort().map((name) => targetFinding(installation, name)));
}

async function targetFinding(installation: Installation, name: string): Promise<Finding> {
  const target = installation.text(name);
  if (target === undefined) return skipped(name, "it is not set");
  const todo = "Check that the service runs and is ready, the address, and the certificates of both sides.";
  let transport: ReturnType<typeof createGrpcTransport> | undefined;
  try {
    transport = createGrpcTransport({ target, services: [Health], tls: wireFiles(installation) });
    const { status } = await createClient(Health, transport).check({}, { timeoutMs: patienceMs });
    if (status === ServingStatus.SERVING) return ok(name, `${target} wants requests`);
    return wrong(name, `${target} answers, but does not want requests yet`, todo);
  } catch (error) {
    return wrong(name, `${target} does not answer: ${reasonOf(error)}`, todo);
  } finally {
    transport?.close();
  }
}

function wireFiles(installation: Installation): TlsFiles | undefined {
  const [cert, key, ca] = ["RPC_TLS_CERT_FILE", "RPC_TLS_KEY_FILE", "RPC_TLS_CA_FILE"].map(installation.text);
  return cert === undefined || key === undefined || ca === undefined ? undefined : { cert, key, ca };
}
