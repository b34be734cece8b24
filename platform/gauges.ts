import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { TLSSocket } from "node:tls";
import { Gauge, type GaugeConfiguration } from "prom-client";
import { type FreshText, textNow } from "./config.ts";
import type { EventBus } from "./events/bus.ts";

/**
 * A gauge of something that is read now and then. What nobody has renewed for so long is absent: a value must not stand
 * still while the database or the bus that it comes from is away or hangs.
 */
export function freshGauge<L extends string>(config: GaugeConfiguration<L>, freshMs: number): Gauge<L> {
  const renewed = new Map<string, { readonly labels: object; readonly at: number }>();
  const gauge = new Gauge<L>({
    ...config,
    collect() {
      const now = performance.now();
      for (const [key, { labels, at }] of renewed) {
        if (now - at <= freshMs) continue;
        renewed.delete(key);
        this.remove(labels);
      }
    },
  });
  const set = gauge.set.bind(gauge) as (...args: unknown[]) => void;
  gauge.set = (...args: unknown[]) => {
    const labels = typeof args[0] === "object" && args[0] !== null ? args[0] : {};
    renewed.set(JSON.stringify(labels), { labels, at: performance.now() });
    set(...args);
  };
  // Without labels it would begin with a 0 that nobody has read.
  gauge.remove({});
  return gauge;
}

/** What a gauge shows; absent when undefined, when it cannot be read and when that takes too long. */
export type Reading = () => number | undefined | Promise<number | undefined>;

/** A gauge that is read when somebody looks. */
export interface AskedGauge<L extends string> extends Gauge<L> {
  /** Readings with the same labels are added up. */
  ask(labels: Partial<Record<L, string>>, read: Reading): void;
}

/** Well below the time in which Prometheus wants its answer. */
const longestReadMs = 3_000;

export function askedGauge<L extends string>(config: GaugeConfiguration<L>): AskedGauge<L> {
  const asked = new Map<string, { readonly labels: Partial<Record<L, string>>; readonly readings: Reading[] }>();
  const gauge = new Gauge<L>({
    ...config,
    async collect() {
      await Promise.all(
        [...asked.values()].map(async ({ labels, readings }) => {
          const values = await Promise.all(readings.map((read) => inTime(read)));
          if (values.includes(undefined)) this.remove(labels);
          else
            this.set(
              labels,
              values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
            );
        }),
      );
    },
  });
  gauge.remove({});
  return Object.assign(gauge, {
    ask: (labels: Partial<Record<L, string>>, read: Reading): void => {
      const key = JSON.stringify(labels);
      const known = asked.get(key);
      if (known === undefined) asked.set(key, { labels, readings: [read] });
      else known.readings.push(read);
    },
  });
}

async function inTime(read: Reading): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, longestReadMs, undefined);
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Names that become the values of a label: the first so many as they are, all others as "other", so that nobody can make
 * a process keep series without end.
 */
export function boundedNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= most) return "other";
    known.add(name);
    return name;
  };
}

/** When the first of these certificates ends, in seconds since 1970. Undefined when there is none. */
function firstEnd(pemOrPath: string): number | undefined {
  if (pemOrPath === "") return undefined;
  const pem = pemOrPath.includes("-----BEGIN ") ? pemOrPath : readFileSync(pemOrPath, "utf8");
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const ends = found.map((text) => Date.parse(new X509Certificate(text).validTo) / 1_000);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** When the certificate ends that the other side has shown, in seconds since 1970; undefined without TLS. */
export function peerCertificateEnd(socket: object | undefined): number | undefined {
  const end = Date.parse((socket as Partial<TLSSocket> | undefined)?.getPeerCertificate?.().valid_to ?? "");
  return Number.isNaN(end) ? undefined : end / 1_000;
}

interface BusGauges {
  readonly natsConnected: AskedGauge<never>;
  readonly natsStoredBytes: AskedGauge<never>;
  readonly certificateEnd: AskedGauge<"certificate">;
}

/** Whether there is a connection, how much the stream holds while there is one, and when the server's certificate ends. */
export function watchBus(
  bus: Pick<EventBus, "isConnected" | "storedBytes" | "certificateEnd">,
  metrics: BusGauges,
): void {
  metrics.natsConnected.ask({}, () => (bus.isConnected() ? 1 : 0));
  metrics.natsStoredBytes.ask({}, () => bus.storedBytes?.());
  metrics.certificateEnd.ask({ certificate: "nats" }, () => bus.certificateEnd?.());
}

/** PEM texts or files, by what they are for; "" for none. Files are read when somebody looks: they may be replaced. */
export function watchCertificates(
  { certificateEnd }: { readonly certificateEnd: AskedGauge<"certificate"> },
  certificates: Readonly<Record<string, FreshText>>,
): void {
  for (const [certificate, pem] of Object.entries(certificates)) {
    if (pem !== "") certificateEnd.ask({ certificate }, () => firstEnd(textNow(pem)));
  }
}
