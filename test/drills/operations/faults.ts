import { renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "#platform/testing/until.ts";
import { makeTestCertificate } from "../../../services/sign/seal/test-certificate.ts";
import type { LoadReport } from "../../chaos/lifecycle/load.ts";
import { killOneOfEach } from "../../chaos/lifecycle/steps.ts";
import { alertProblems, type Scrape, scrape } from "./alerts.ts";
import { type Installation, newAuthority } from "./installation.ts";

export interface InjectedFault {
  readonly step: string;
  /** Which are told while it lasts, and were not before. */
  readonly alerts: readonly string[];
  /** How long it lasts. */
  readonly lasts: number;
  begin(installation: Installation): Promise<unknown>;
  end(installation: Installation): Promise<unknown>;
}

const day = 86_400_000;
const links = ({ cluster }: Installation, name: string) =>
  cluster.links.filter((link) => link.name.includes(name)).map(({ proxy }) => proxy);
async function kill({ cluster }: Installation, service: string): Promise<void> {
  for (const process of cluster.running.of(service)) process.kill("SIGKILL");
  await Promise.all(cluster.running.of(service).map((process) => process.exited()));
}
const start = ({ cluster }: Installation, service: string) =>
  Promise.all(cluster.running.of(service).map((process) => process.start()));
/** Other texts stand in these files until the fault is over, beside which the true ones are kept. */
const sealFiles = ["SEAL_KEY", "SEAL_CERTIFICATES"];
const tlsFiles = ["tls.key", "tls.crt", "ca.crt"];
function setAside({ secret, replaceSecret }: Installation, names: readonly string[]): void {
  for (const name of names) replaceSecret(`${name}.kept`, `${secret(name)}\n`);
}
const putBack =
  (names: readonly string[]) =>
  async ({ secret, replaceSecret }: Installation): Promise<void> => {
    for (const name of names) replaceSecret(name, `${secret(`${name}.kept`)}\n`);
  };

export const injectedFaults: readonly InjectedFault[] = [
  {
    ...{ step: "NATS is away", lasts: 75, alerts: ["NatsIsAway", "EventsWait"] },
    begin: ({ cluster }) => cluster.nats.kill(),
    end: ({ cluster }) => cluster.nats.restart(),
  },
  {
    step: "Postgres crashes and is away",
    ...{ lasts: 20, alerts: ["DatabaseIsDown", "HotPathBurnsFast", "ManagementBurnsFast"] },
    begin: ({ cluster }) => cluster.postgres.kill("immediate"),
    end: ({ cluster }) => cluster.postgres.restart(),
  },
  {
    ...{ step: "the database hangs for both click processes", lasts: 15, alerts: ["DatabaseIsDown"] },
    begin: async (installation) => {
      for (const proxy of links(installation, "postgres")) proxy.setMode("hold-answers");
    },
    end: async (installation) => {
      for (const proxy of links(installation, "postgres")) proxy.setMode("pass");
    },
  },
  {
    ...{ step: "one of every process is killed", lasts: 0, alerts: [] },
    begin: ({ cluster }) => killOneOfEach(cluster, 1, 2_000),
    end: async () => undefined,
  },
  {
    ...{ step: "no process of templates is left", lasts: 15, alerts: ["ProcessIsMissing"] },
    begin: (installation) => kill(installation, "templates"),
    end: (installation) => start(installation, "templates"),
  },
  {
    ...{ step: "a click process stands still", lasts: 12, alerts: [] },
    begin: async ({ cluster }) => cluster.running.of("click")[1]?.kill("SIGSTOP"),
    end: async ({ cluster }) => cluster.running.of("click")[1]?.kill("SIGCONT"),
  },
  {
    ...{ step: "connections to click break again and again", lasts: 0, alerts: [] },
    begin: async (installation) => {
      for (let n = 0; n < 20; n += 1) {
        for (const proxy of links(installation, "gateways")) proxy.cut();
        await delay(400);
      }
    },
    end: async () => undefined,
  },
  {
    ...{ step: "the witness of the logs cannot be used", lasts: 25, alerts: ["LogWitnessFails", "EvidenceWaits"] },
    begin: async ({ witness }) => {
      renameSync(witness, `${witness}.away`);
      writeFileSync(witness, "");
    },
    end: async ({ witness }) => {
      rmSync(witness);
      renameSync(`${witness}.away`, witness);
    },
  },
  {
    ...{ step: "the sealing certificate has ended", lasts: 9, alerts: ["SealKeyIsNotUsable"] },
    begin: async (installation) => {
      const now = new Date(Date.now() - 3 * 365 * day);
      const { key, certificates } = await makeTestCertificate({ name: "Ended seal", now, years: 1 });
      setAside(installation, sealFiles);
      installation.replaceSecret("SEAL_KEY", key);
      installation.replaceSecret("SEAL_CERTIFICATES", certificates);
    },
    end: putBack(sealFiles),
  },
  {
    step: "certificates between processes end tomorrow",
    ...{ lasts: 12, alerts: ["CertificateEnds", "CertificateEndsSoon"] },
    begin: async (installation) => {
      setAside(installation, tlsFiles);
      const former = { cert: `${installation.secret("ca.crt")}\n` };
      installation.issue({ believed: [former], by: newAuthority("Late"), until: Date.now() + day });
    },
    end: putBack(tlsFiles),
  },
  {
    ...{ step: "both gateways are killed", lasts: 5, alerts: [] },
    begin: (installation) => kill(installation, "gateway"),
    end: (installation) => start(installation, "gateway"),
  },
];

const scrapeEveryMs = 3_000;

/** The fault for as long as it lasts, looked at as Prometheus does; which alerts did not do as they should. */
export async function inject(
  installation: Installation,
  fault: InjectedFault,
  calm: () => Promise<LoadReport>,
): Promise<string[]> {
  const { processes } = installation.cluster.running;
  const isWatched = fault.alerts.length > 0;
  const first = isWatched ? await scrape(processes) : { at: 0, values: new Map() };
  if (isWatched) await calm();
  const second = isWatched ? await scrape(processes) : first;
  const during: Scrape[] = [];
  await fault.begin(installation);
  const over = performance.now() + fault.lasts * 1_000;
  while (performance.now() < over || (isWatched && during.length < 3)) {
    await delay(Math.min(scrapeEveryMs, Math.max(0, over - performance.now()) || scrapeEveryMs));
    if (isWatched) during.push(await scrape(processes));
  }
  await fault.end(installation);
  await until(async () => {
    const { values } = await scrape(processes);
    return [...values].every(([name, value]) => !name.startsWith("up{") || value === 1);
  }, 90_000);
  return alertProblems(fault.alerts, { before: [first, second], during });
}
