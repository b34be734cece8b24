/** A program that ends with 0 when every promise was kept, and prints figures. */
export interface Drill {
  readonly name: string;
  /** What is done, in a few words. */
  readonly what: string;
  readonly program: string;
  /** Arguments of a run of a minute or so. */
  readonly short: readonly string[];
}

export const drills: readonly Drill[] = [
  {
    name: "accept",
    what: "Acceptances while processes, servers and connections break: one receipt for each key.",
    program: "test/chaos/accept-history/drill.ts",
    short: ["--seeds", "1", "--seconds", "15"],
  },
  {
    name: "events",
    what: "Relays and consumers die, NATS goes away and loses its disk: each event has its effect once.",
    program: "test/chaos/events/drill.ts",
    short: ["--rounds", "1", "--rate", "50", "--outage", "15"],
  },
  {
    name: "webhooks",
    what: "Processes die and receivers misbehave: every event is delivered, in time and signed.",
    program: "test/chaos/webhooks/drill.ts",
    short: ["--rounds", "1", "--rate", "20"],
  },
  {
    name: "limits",
    what: "Budgets of clients over four gateways under faults: never more than granted.",
    program: "test/chaos/budgets/drill.ts",
    short: ["--windows", "3"],
  },
  {
    name: "fuzz",
    what: "Requests that nobody should send: no 500, no leak between organizations.",
    program: "test/fuzz/drill.ts",
    short: ["--seeds", "1", "--requests", "3000"],
  },
  {
    name: "pdf",
    what: "PDFs made to be read in several ways: refused, or everybody reads the same before and after the seal.",
    program: "services/sign/intake/test/adversarial-drill.ts",
    short: ["300"],
  },
  {
    name: "office",
    what: "Office files of all formats in many shapes: the same text on as many pages as LibreOffice prints of them.",
    program: "services/convert/test/conversions-drill.ts",
    short: ["12"],
  },
  {
    name: "lifecycle",
    what: "Two of every process are replaced and killed under load, NATS is away, Postgres crashes: no request fails.",
    program: "test/chaos/lifecycle/drill.ts",
    short: ["--rate", "20", "--outage", "10", "--at-once", "7"],
  },
  {
    name: "restore",
    what: "The database dies under load and is restored beside the NATS that survives: what is lost, and for how long.",
    program: "test/chaos/restore/drill.ts",
    short: ["--seconds", "8"],
  },
  {
    name: "upgrade",
    what: "The last release under load, its database migrated, its processes replaced and put back: no request fails.",
    program: "test/upgrade/drill.ts",
    short: ["--requests", "50", "--at-once", "7"],
  },
  {
    name: "operations",
    what: "A release is installed, its secrets are changed, faults injected, all under load; then restore and upgrade.",
    program: "test/drills/operations/drill.ts",
    short: [],
  },
  {
    name: "soak",
    what: "Half of what is possible, for ten minutes: memory, files, connections and latencies stay what they are.",
    program: "test/chaos/soak/drill.ts",
    short: ["--minutes", "2"],
  },
  {
    name: "image",
    what: "What a release and the image hold, with production dependencies, by the manifests: one acceptance.",
    program: "test/drills/image.ts",
    short: [],
  },
];
