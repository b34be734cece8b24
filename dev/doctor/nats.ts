import { inspectNats, type NatsReport } from "#platform/events/nats-stream.ts";
import { parseNatsUrl } from "#platform/events/nats-url.ts";
import { type Finding, type Installation, notice, ok, reasonOf, wrong } from "./finding.ts";
import { isLoopback } from "./surroundings.ts";

const days = 24 * 3_600_000;
const keptDays = 7;

/** NATS and its stream. Processes start and answer without it, but nothing that follows events happens. */
export async function checkNats(installation: Installation): Promise<Finding[]> {
  const url = installation.text("NATS_URL");
  if (url === undefined) return [];
  try {
    const report = await inspectNats(url);
    return [serverFinding(report), ...encryptionFindings(url), ...streamFindings(report), ...roomFindings(report)];
  } catch (error) {
    return [
      wrong(
        "nats",
        `no server of NATS_URL answers with JetStream: ${reasonOf(error)}`,
        "Check the addresses and the login, and that the servers run with JetStream. Until then events wait in the database.",
      ),
    ];
  }
}

function serverFinding({ version, isCluster }: NatsReport): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 2 || (major === 2 && minor < 9)) {
    return wrong("nats", `NATS ${version} is too old`, "Use 2.10 or newer, which can flush before it acknowledges.");
  }
  if (major === 2 && minor < 10) {
    return notice("nats", `NATS ${version} cannot flush before it acknowledges`, "Use 2.10 or newer.");
  }
  if (isCluster) return ok("nats", `NATS ${version}, a cluster with JetStream`);
  return notice(
    "nats",
    `NATS ${version}, a single server`,
    "Run three servers if events must not wait for one of them.",
  );
}

/** Events name people; the password of NATS goes the same way. */
function encryptionFindings(url: string): Finding[] {
  const { servers, tls } = parseNatsUrl(url);
  const remote = servers.filter((server) => !isLoopback(server.replace(/:\d+$/, "")));
  if (tls !== undefined || remote.length === 0) return [];
  const says = `what is sent to ${remote.join(", ")} is not encrypted`;
  return [
    notice("nats", says, "Give the servers a certificate, and use the scheme tls in NATS_URL (docs/hardening.md)."),
  ];
}

function streamFindings({ stream, isCluster }: NatsReport): Finding[] {
  if (stream === undefined) return [ok("stream", "the first process will create EVENTS")];
  const findings: Finding[] = [];
  if (!stream.subjects.includes("assent.>")) {
    findings.push(wrong("stream", "EVENTS does not take assent.>", "Give the stream the subjects assent.>."));
  }
  if (!stream.onDisk) {
    findings.push(wrong("stream", "EVENTS is kept in memory", "Recreate it with file storage; the outbox refills it."));
  }
  if (isCluster && stream.replicas < 3) {
    findings.push(
      notice("stream", `EVENTS has ${stream.replicas} copy`, "nats stream edit EVENTS --replicas 3, on three servers."),
    );
  }
  if (stream.keptMs > 0 && stream.keptMs < keptDays * days) {
    findings.push(
      notice("stream", `EVENTS forgets after ${Math.floor(stream.keptMs / days)} days`, `Keep ${keptDays} days.`),
    );
  }
  return findings.length > 0 ? findings : [ok("stream", `EVENTS is on disk in ${stream.replicas} copies`)];
}

function roomFindings({ storedBytes, mostBytes }: NatsReport): Finding[] {
  if (mostBytes <= 0 || storedBytes < mostBytes * 0.8) return [];
  const share = Math.round((100 * storedBytes) / mostBytes);
  const say = share < 95 ? notice : wrong;
  return [say("stream", `JetStream's storage is ${share} % full`, "Raise max_file_store, and the volumes.")];
}
