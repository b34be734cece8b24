import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { createMetrics } from "#platform/metrics.ts";
import { settingsOfPrograms } from "../../dev/programs.ts";
import { rulesOfAll, rulesOfServing } from "./support/house-rules.ts";
import {
  buildOverlay,
  deployFolder,
  findBuilder,
  folderOf,
  hasKustomize,
  type Manifest,
  nameOf,
  type Overlay,
  ofKind,
  overlays,
} from "./support/manifests.ts";
import { problemsOf } from "./support/schemas.ts";

const builder = findBuilder();
const canBuild = builder.command !== undefined;
const describeManifests = canBuild ? describe : describe.skip;

if (builder.command === undefined && process.env.CI !== "true") process.stderr.write(`skipped: ${builder.missing}\n`);

test("in CI there is what builds manifests", () => {
  if (builder.command === undefined && process.env.CI === "true") throw new Error(builder.missing);
});

test("a kubectl is new enough by the kustomize that it names, or else by its own version", () => {
  const of = (gitVersion: string, more = {}) => JSON.stringify({ clientVersion: { gitVersion }, ...more }, null, 2);
  const old = [of("v1.20.2"), of("v1.21.0", { kustomizeVersion: "v3.9.0" }), "", "error"];
  expect(old.filter(hasKustomize)).toEqual([]);
  const fit = [of("v1.22.0"), of("v1.32.4-dispatcher", { kustomizeVersion: "v5.5.0" }), of("v2.0.0")];
  expect(fit.filter((version) => !hasKustomize(version))).toEqual([]);
});

test("where a release is tried processes prove themselves as they do where it serves", () => {
  for (const overlay of overlays.filter((name) => name === "staging" || name === "production")) {
    expect([overlay, componentsOf(overlay)]).toEqual([overlay, expect.arrayContaining(["mtls", "network-policies"])]);
  }
});

test("every component is built in some overlay", () => {
  const built = new Set(overlays.flatMap(componentsOf));
  expect(readdirSync(join(deployFolder, "k8s/components")).sort()).toEqual([...built].sort());
});

function componentsOf(overlay: Overlay): string[] {
  const { components = [] } = parse(readFileSync(join(folderOf(overlay), "kustomization.yaml"), "utf8"));
  return components.map((path: string) => basename(path));
}

describeManifests.each(overlays)("the manifests of %s", (overlay) => {
  const manifests = canBuild ? buildOverlay(overlay) : [];

  test("are what a cluster takes, with no member that it does not know", async () => {
    const found: Record<string, string[]> = {};
    for (const manifest of manifests) {
      const problems = await problemsOf(manifest);
      if (problems.length > 0) found[nameOf(manifest)] = problems;
    }
    expect(found).toEqual({});
    expect(manifests.length).toBeGreaterThan(25);
  });

  test.each(rulesOfAll)("$title", ({ broken }) => {
    expect(broken(manifests)).toEqual([]);
  });

  if (overlay !== "local") {
    test.each(rulesOfServing)("$title", ({ broken }) => {
      expect(broken(manifests)).toEqual([]);
    });
  }

  test("every process gets what it cannot start without, and nothing that no process knows", () => {
    const shared = Object.keys(ofKind(manifests, "ConfigMap").find(isSettings)?.data ?? {});
    const known = new Set(settingsOfPrograms.flatMap(({ settings }) => Object.keys(settings)));
    expect(shared.filter((name) => !known.has(name))).toEqual([]);
    for (const { title, settings } of deployedOf(manifests)) {
      const deployment = ofKind(manifests, "Deployment").find(({ metadata }) => metadata.name === title);
      const own: string[] = deployment.spec.template.spec.containers[0].env.map(({ name }: Manifest) => name);
      const isKnown = (name: string) => name in settings || name.replace(/_FILE$/, "") in settings;
      expect(own.filter((name) => !isKnown(name))).toEqual([]);
      const given = [...own.map((name) => name.replace(/_FILE$/, "")), ...shared];
      const required = Object.entries(settings).filter(([, { fallback }]) => fallback === undefined);
      expect(required.map(([name]) => name).filter((name) => !given.includes(name))).toEqual([]);
    }
  });

  test("every process reads its secrets from files, which follow their Secrets, but for those that need a restart", () => {
    for (const { title } of deployedOf(manifests)) {
      const { volumes, containers } = ofKind(manifests, "Deployment").find(({ metadata }) => metadata.name === title)
        .spec.template.spec;
      const [{ env, volumeMounts }] = containers;
      const fromEnvironment = env.filter(({ valueFrom }: Manifest) => valueFrom?.secretKeyRef !== undefined);
      expect(
        fromEnvironment
          .map(({ name }: Manifest) => name)
          .filter((name: string) => !/_MASTER_KEY$|^SMTP|^OIDC|^MAIL_REPORTS/.test(name)),
      ).toEqual([]);
      const pathOf = (name: string): string => volumeMounts.find((one: Manifest) => one.name === name).mountPath;
      const { sources } = volumes.find(({ name }: Manifest) => name === "secrets").projected;
      const files = sources.flatMap(({ secret }: Manifest) =>
        secret.items.map(({ path }: Manifest) => `${pathOf("secrets")}/${path}`),
      );
      const named = env.flatMap(({ value }: Manifest) => (value?.startsWith("/run/assent/") ? [value] : []));
      expect([title, files.toSorted()]).toEqual([title, named.toSorted()]);
      // The converter has neither a database nor events, and the gateway no admin RPCs.
      expect(files).toHaveLength(title === "gateway" || title === "convert" ? 2 : 4);
    }
  });

  test("every process, and the migration, has the database's authority where its address looks for it", () => {
    if (overlay === "local") return;
    const [script, path] = [readFileSync(join(deployFolder, "k8s/apply-secrets.sh"), "utf8"), "/run/postgres-ca"];
    expect(script).toContain(`sslmode=verify-full&sslrootcert=${path}/ca.crt`);
    const [{ metadata }] = ofKind(manifests, "Cluster");
    const secret = { secretName: `${metadata.name}-ca`, items: [{ key: "ca.crt", path: "ca.crt" }] };
    for (const workload of [...ofKind(manifests, "Deployment"), ...ofKind(manifests, "Job")]) {
      if (workload.metadata.name === "convert") continue;
      expect([nameOf(workload), mountOf(workload.spec.template.spec, path)?.secret]).toEqual([
        nameOf(workload),
        secret,
      ]);
    }
  });

  test("policies let every process call those that it is told of, and nobody else", () => {
    if (overlay === "local") return;
    for (const { title, settings } of settingsOfPrograms) {
      const targets = Object.keys(settings).filter((name) => name.endsWith("_TARGET"));
      const called = targets.map((name) => name.replace("_TARGET", "").toLowerCase());
      const policy = ofKind(manifests, "NetworkPolicy").find(({ metadata }) => metadata.name === title);
      expect([title, podsTo(policy.spec.egress, 50051)]).toEqual([title, called.sort()]);
      for (const name of called) {
        const other = ofKind(manifests, "NetworkPolicy").find(({ metadata }) => metadata.name === name);
        expect(podsTo(other.spec.ingress, 50051)).toContain(title);
      }
    }
  });

  test("policies let only Prometheus to the admin ports, which tell their metrics to whoever comes", () => {
    if (overlay === "local") return;
    const monitoring = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } };
    for (const { metadata, spec } of ofKind(manifests, "NetworkPolicy")) {
      const rules: Manifest[] = spec.ingress ?? [];
      const open = rules.filter(({ ports }) => ports === undefined || JSON.stringify(ports).includes("9090"));
      const isOurs = settingsOfPrograms.some(({ title }) => title === metadata.name);
      expect([metadata.name, open.map(({ from }) => from)]).toEqual([metadata.name, isOurs ? [[monitoring]] : []]);
    }
  });

  test("policies admit programs with the label to the gateway's gRPC port, and to no service", () => {
    if (overlay === "local") return;
    const label = { matchLabels: { "assent.dev/client": "true" } };
    for (const { title } of settingsOfPrograms) {
      const { spec } = ofKind(manifests, "NetworkPolicy").find(({ metadata }) => metadata.name === title);
      const labelled = spec.ingress.filter((rule: Manifest) => JSON.stringify(rule).includes("assent.dev/client"));
      const wanted = {
        from: [{ namespaceSelector: label }, { namespaceSelector: {}, podSelector: label }],
        ports: [{ port: 50051, protocol: "TCP" }],
      };
      expect([title, labelled]).toEqual([title, title === "gateway" ? [wanted] : []]);
    }
    const { spec } = ofKind(manifests, "Service").find(({ metadata }) => metadata.name === "gateway-grpc");
    expect([spec.clusterIP, spec.ports[0].port]).toEqual(["None", 50051]);
  });
});

/** The processes that there are; only the converter may be left out, as it is where nothing serves. */
function deployedOf(manifests: readonly Manifest[]) {
  const names = ofKind(manifests, "Deployment").map(({ metadata }) => metadata.name);
  const absent = settingsOfPrograms.filter(({ title }) => !names.includes(title)).map(({ title }) => title);
  expect(["convert"]).toEqual(expect.arrayContaining(absent));
  return settingsOfPrograms.filter(({ title }) => names.includes(title));
}

const mountOf = ({ containers, volumes }: Manifest, path: string): Manifest => {
  const mount = containers[0].volumeMounts.find(({ mountPath }: Manifest) => mountPath === path);
  return mount && volumes.find(({ name }: Manifest) => name === mount.name);
};

const isSettings = ({ metadata }: Manifest): boolean => metadata.name === "assent-settings";

const podsTo = (rules: readonly Manifest[], port: number): string[] =>
  rules
    .filter(({ ports }) => ports?.some((one: Manifest) => one.port === port))
    .flatMap(({ from, to }) => from ?? to)
    .map(({ podSelector }: Manifest) => podSelector.matchLabels["app.kubernetes.io/name"])
    .sort();

describeManifests("components that are added", () => {
  const manifests = canBuild ? buildOverlay("everything") : [];
  const named = (kind: string, name: string): Manifest =>
    ofKind(manifests, kind).find(({ metadata }) => metadata.name === name);

  test("tracing sends to where its policy lets every pod of ours go", () => {
    const endpoint = new URL(ofKind(manifests, "ConfigMap").find(isSettings)?.data.OTEL_EXPORTER_OTLP_ENDPOINT);
    const { podSelector, egress } = named("NetworkPolicy", "traces").spec;
    const [{ to, ports }] = egress;
    const namespaces = to.map(
      ({ namespaceSelector }: Manifest) => namespaceSelector.matchLabels["kubernetes.io/metadata.name"],
    );
    expect(endpoint.hostname.split(".").slice(1)).toEqual([...namespaces, "svc"]);
    expect(ports.map(({ port }: Manifest) => String(port))).toEqual([endpoint.port]);
    const [label = "", value] = Object.entries(podSelector.matchLabels)[0] ?? [];
    const others = ofKind(manifests, "Deployment").filter(({ spec }) => spec.template.metadata.labels[label] !== value);
    expect(others.map(nameOf)).toEqual([]);
  });

  test("mtls gives every process that speaks gRPC certificates at the paths that it is told of", () => {
    for (const deployment of ofKind(manifests, "Deployment")) {
      expect([nameOf(deployment), certificateOf(deployment, "RPC")["issuer-name"]]).toEqual([
        nameOf(deployment),
        "rpc",
      ]);
    }
  });

  test("mtls gives the public gRPC port a certificate of another authority, under the name that programs call", () => {
    const { "issuer-name": issuer, "dns-names": names = "" } = certificateOf(named("Deployment", "gateway"), "GRPC");
    expect(issuer).toBe("grpc");
    const { metadata, spec } = named("Service", "gateway-grpc");
    expect(names.split(",")).toContain(`${metadata.name}.\${POD_NAMESPACE}.svc`);
    expect(spec.ports[0].appProtocol).toBe("https");
    const secrets = ["rpc", "grpc", "nats"].map((name) => named("Issuer", name).spec.ca.secretName);
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(named("Certificate", secret).spec).toMatchObject({ secretName: secret });
  });

  test("mtls gives NATS a certificate under the names that it is called by, and the services its authority", () => {
    const { spec } = named("Certificate", "nats");
    expect(spec.issuerRef.name).toBe("nats");
    const { replicas, template } = named("StatefulSet", "nats").spec;
    const servers = Array.from({ length: replicas }, (_, n) => `nats-${n}.nats`);
    expect(spec.dnsNames).toEqual([named("Service", "nats").metadata.name, ...servers]);
    const { data } = named("ConfigMap", "nats-settings");
    for (const name of ["client-tls.conf", "route-tls.conf"]) {
      expect(data["nats.conf"]).toContain(`include ./${name}`);
      expect(data[name]).toContain("/etc/nats-tls/tls.key");
    }
    expect(mountOf(template.spec, "/etc/nats-tls").secret.secretName).toBe(spec.secretName);
    for (const { title, settings } of settingsOfPrograms) {
      const mounted = mountOf(named("Deployment", title).spec.template.spec, "/run/nats-ca");
      const secret = { secretName: spec.secretName, items: [{ key: "ca.crt", path: "ca.crt" }] };
      expect([title, mounted?.secret]).toEqual([title, "NATS_URL" in settings ? secret : undefined]);
    }
  });

  /** What the driver is asked for the certificate whose files the settings of this port name. */
  function certificateOf(deployment: Manifest, port: "RPC" | "GRPC"): Readonly<Record<string, string>> {
    const { containers, volumes } = deployment.spec.template.spec;
    const [{ env, volumeMounts }] = containers;
    const names = ["CERT", "KEY", "CA"].map((part) => `${port}_TLS_${part}_FILE`);
    const files = names.map((one) => env.find(({ name }: Manifest) => name === one)?.value ?? "");
    const mount = volumeMounts.find(({ mountPath }: Manifest) => mountPath === dirname(files[0] ?? ""));
    expect(files).toEqual(["tls.crt", "tls.key", "ca.crt"].map((file) => `${mount.mountPath}/${file}`));
    const { csi } = volumes.find(({ name }: Manifest) => name === mount.name);
    expect(csi.driver).toBe("csi.cert-manager.io");
    return Object.fromEntries(
      Object.entries<string>(csi.volumeAttributes).map(([name, value]) => [name.split("/")[1] ?? "", value]),
    );
  }

  test("a proxy is the only way out for those that know of one, and they may reach it", () => {
    const knowing = settingsOfPrograms.filter(({ settings }) => "EGRESS_PROXY" in settings).map(({ title }) => title);
    const { podSelector, egress } = named("NetworkPolicy", "egress").spec;
    expect(podSelector.matchExpressions[0].values).toEqual(knowing.toSorted());
    expect(egress[0].ports).toEqual([{ port: 3128, protocol: "TCP" }]);
    for (const { metadata, spec } of ofKind(manifests, "NetworkPolicy")) {
      expect([metadata.name, JSON.stringify(spec).includes("ipBlock")]).toEqual([metadata.name, false]);
    }
    for (const { title } of settingsOfPrograms) {
      const pod = named("Deployment", title).spec.template.spec;
      const { value } = pod.containers[0].env.find(({ name }: Manifest) => name === "EGRESS_PROXY_FILE") ?? {};
      const [item] = value === undefined ? [] : mountOf(pod, dirname(value)).secret.items;
      expect([title, item?.path]).toEqual([title, knowing.includes(title) ? "EGRESS_PROXY" : undefined]);
    }
  });

  test("an Ingress and a Gateway lead the public address, by HTTPS alone, to where the gateway serves it", () => {
    const { hostname } = new URL(ofKind(manifests, "ConfigMap").find(isSettings)?.data.PUBLIC_URL);
    const { name, port } = named("Service", "gateway").spec.ports[0];
    const { tls, rules } = named("Ingress", "gateway").spec;
    expect([tls[0].hosts, rules.map(({ host }: Manifest) => host)]).toEqual([[hostname], [hostname]]);
    expect(rules[0].http.paths).toEqual([
      { path: "/", pathType: "Prefix", backend: { service: { name: "gateway", port: { name } } } },
    ]);
    const [plain, secure] = named("Gateway", "public").spec.listeners;
    expect([plain.protocol, secure.protocol, secure.hostname]).toEqual(["HTTP", "HTTPS", hostname]);
    const routes = ofKind(manifests, "HTTPRoute");
    const at = (listener: Manifest): Manifest[] =>
      routes.filter(({ spec }) => spec.parentRefs.some(({ sectionName }: Manifest) => sectionName === listener.name));
    expect(routes.map(({ spec }) => spec.hostnames)).toEqual(routes.map(() => [hostname]));
    expect(at(secure).map(({ spec }) => spec.rules)).toEqual([[{ backendRefs: [{ name: "gateway", port }] }]]);
    const redirect = { type: "RequestRedirect", requestRedirect: { scheme: "https", statusCode: 301 } };
    expect(at(plain).map(({ spec }) => spec.rules)).toEqual([[{ filters: [redirect] }]]);
  });

  test("keda alone decides how many pods it scales, by a metric that there is", async () => {
    const [scaled, ...more] = ofKind(manifests, "ScaledObject");
    expect(more).toEqual([]);
    const target = scaled.spec.scaleTargetRef.name;
    expect(named("Deployment", target)).toBeDefined();
    expect(named("HorizontalPodAutoscaler", target)).toBeUndefined();
    const [, metric = ""] = /\b(assent_\w+)/.exec(scaled.spec.triggers[0].metadata.query) ?? [];
    expect(await createMetrics().registry.getMetricsAsJSON()).toContainEqual(expect.objectContaining({ name: metric }));
  });
});

describeManifests("every setting", () => {
  test("stands in a manifest, or is left at its default for a reason that is written down", () => {
    const names = new Set(settingsOfPrograms.flatMap(({ settings }) => Object.keys(settings)));
    const production = JSON.stringify(buildOverlay("production"));
    const absent = [...names].filter((name) => ![name, `${name}_FILE`].some((one) => production.includes(`"${one}"`)));
    expect(absent.sort()).toEqual(Object.keys(leftAtDefault).sort());
  });
});

const leftAtDefault: Readonly<Record<string, string>> = {
  ABUSE_CONTACT: "nobody else knows where an operator takes reports",
  ADMIN_PORT: "the manifests name the default",
  ANCHOR_INTERVAL_SECONDS: "a minute is what receipts promise",
  EGRESS_DIRECT: "for installations with a proxy",
  EGRESS_PROXY: "for installations with a proxy, by the component egress-proxy",
  ERASURE_LIST_DAYS: "longer than the manifests keep backups",
  CONVERT_APART: "the image sets it",
  CONVERT_MEMORY_MB: "the memory limits count with the default",
  CONVERT_PROCESSES: "as many as the node has cores for, and at most two",
  CONVERT_SECONDS: "callers do not wait much longer",
  DATABASE_POOL_SIZE: "docs/operations.md adds up the defaults",
  DATABASE_ROLE: "each service takes on its own role",
  FLOOD_GUARD_REQUESTS: "for the operator to tighten",
  GRPC_CLIENTS: "for programs with certificates",
  GRPC_HOST: "pods listen everywhere; policies decide who comes",
  GRPC_REFLECTION: "for those who explore, on the machine they try it on",
  HOST: "pods listen everywhere",
  INTAKE_MEMORY_MB: "the memory limits count with the default",
  INTAKE_PROCESSES: "as many as the node has cores for",
  INTAKE_PROCESSES_KEPT: "one is enough",
  OIDC_CLIENT_ID: "for installations with an identity provider",
  OIDC_ISSUER: "for installations with an identity provider",
  OIDC_NAME: "for installations with an identity provider",
  OFFICE_PROGRAM: "the image has it on PATH",
  OTEL_EXPORTER_OTLP_ENDPOINT: "the component tracing sets it where there is a collector",
  OTEL_EXPORTER_OTLP_HEADERS: "a collector in the cluster asks for none",
  OTEL_TRACES_SAMPLER_ARG: "a tenth is enough to find what is slow",
  PORT: "the manifests name the default",
  RENDERER_MEMORY_MB: "the memory limits count with the default",
  RENDERER_PROCESSES: "as many as the node has cores for",
  RENDERER_PROCESSES_KEPT: "one is enough",
  RETENTION_PER_MINUTE: "as much as a database does beside its work",
  RPC_HOST: "pods listen everywhere",
  RPC_OWN_NAMES: "the certificates have the names of the services",
  RPC_PORT: "the manifests name the default",
  SCREENSHOTS_MB: "pictures of pages are few, and small",
  TOKEN_AUDIENCE: "one installation has one",
  TOKEN_ISSUER: "one installation has one",
  TSA_CA_FILE: "a file that the operator mounts",
  TSA_CERTIFICATES: "the operator's choice of authority decides",
  WEBHOOKS_ALLOW_PRIVATE: "for development only",
  WEBHOOKS_PRIVATE_RECEIVERS: "for installations whose customers are in the same network",
  WEBHOOKS_MAX_REQUESTS: "the memory limits count with the default",
};

describeManifests("the checks of the manifests", () => {
  const deployment = () => ofKind(buildOverlay("production"), "Deployment")[0];

  test("find members that a cluster would ignore, and values of a wrong type", async () => {
    const misspelt = deployment();
    misspelt.spec.template.spec.containers[0].imagePullPolice = "Always";
    expect(await problemsOf(misspelt)).toEqual(["unknown: /spec/template/spec/containers/0/imagePullPolice"]);
    const wrong = deployment();
    wrong.spec.replicas = "many";
    expect(String(await problemsOf(wrong))).toContain("replicas");
  });

  test("find each rule broken where it is", () => {
    const open = deployment();
    open.spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem = false;
    delete open.spec.template.spec.containers[0].readinessProbe;
    delete open.spec.template.spec.containers[0].resources.limits;
    open.spec.template.spec.containers[0].resources.limits = { cpu: "1" };
    open.metadata.namespace = "default";
    const broken = rulesOfAll.filter((rule) => rule.broken([open]).length > 0).map(({ title }) => title);
    expect(broken).toHaveLength(6);
    expect(rulesOfServing.filter((rule) => rule.broken([open]).length > 0)).toHaveLength(4);
  });
});
