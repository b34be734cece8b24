import type { Manifest } from "./manifests.ts";

/**
 * Paths of the members of a value that `check` never looked at, such as "/spec/replicaz". Validators made from the
 * schemas of Kubernetes accept members that they do not know; what they have not read, the cluster would ignore.
 */
function unreadMembers(value: object, check: (watched: object) => void): string[] {
  const seen: { readonly path: string; readonly target: object; readonly read: Set<string> }[] = [];
  const wrapped = new Map<object, object>();

  const watch = (target: object, path: string): object => {
    const known = wrapped.get(target);
    if (known !== undefined) return known;
    const read = new Set<string>();
    seen.push({ path, target, read });
    const proxy = new Proxy(target, {
      get: (object, key) => {
        const member: unknown = Reflect.get(object, key);
        if (typeof key === "string") read.add(key);
        return typeof member === "object" && member !== null ? watch(member, `${path}/${String(key)}`) : member;
      },
    });
    wrapped.set(target, proxy);
    return proxy;
  };

  check(watch(value, ""));
  return seen
    .filter(({ target }) => !Array.isArray(target))
    .flatMap(({ path, target, read }) =>
      Object.keys(target)
        .filter((key) => !read.has(key))
        .map((key) => `${path}/${key}`),
    );
}

interface Model {
  readonly prototype: { validate(this: object): void };
}

const packages: Readonly<Record<string, string>> = {
  "postgresql.cnpg.io": "@kubernetes-models/cloudnative-pg/postgresql.cnpg.io",
  "cert-manager.io": "@kubernetes-models/cert-manager/cert-manager.io",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator/monitoring.coreos.com",
  "keda.sh": "@kubernetes-models/keda/keda.sh",
};

const meta = ["apiVersion", "kind", "metadata.name", "metadata.namespace"];

/** Kinds that no package of ours describes: the paths of all members that we use, read in their documentation. */
const byHand: Readonly<Record<string, readonly string[]>> = {
  "barmancloud.cnpg.io/v1 ObjectStore": [
    ...[...meta, "spec.retentionPolicy"],
    "spec.configuration.destinationPath",
    ...["accessKeyId", "secretAccessKey"].flatMap((one) =>
      ["name", "key"].map((member) => `spec.configuration.s3Credentials.${one}.${member}`),
    ),
    ...["wal", "data"].map((one) => `spec.configuration.${one}.compression`),
  ],
  "external-secrets.io/v1 SecretStore": [
    ...meta,
    ...["server", "path", "version"].map((one) => `spec.provider.vault.${one}`),
    ...["mountPath", "role", "serviceAccountRef.name"].map((one) => `spec.provider.vault.auth.kubernetes.${one}`),
  ],
  "external-secrets.io/v1 ExternalSecret": [
    ...[...meta, "spec.refreshInterval", "spec.secretStoreRef.name", "spec.secretStoreRef.kind"],
    ...["name", "deletionPolicy", "template.type"].map((one) => `spec.target.${one}`),
    ...["spec.target.template.metadata.labels.cnpg.io/reload", "spec.dataFrom.extract.key"],
  ],
  "gateway.networking.k8s.io/v1 Gateway": [
    ...[...meta, "metadata.annotations.cert-manager.io/cluster-issuer", "spec.gatewayClassName"],
    ...["name", "protocol", "port", "hostname", "tls.mode", "tls.certificateRefs.name"].map(
      (one) => `spec.listeners.${one}`,
    ),
  ],
  "gateway.networking.k8s.io/v1 HTTPRoute": [
    ...[...meta, "spec.parentRefs.name", "spec.parentRefs.sectionName", "spec.hostnames"],
    ...["spec.rules.backendRefs.name", "spec.rules.backendRefs.port", "spec.rules.filters.type"],
    ...["scheme", "statusCode"].map((one) => `spec.rules.filters.requestRedirect.${one}`),
  ],
};

/** What a cluster would refuse or ignore of a manifest: errors of its schema, and members that it does not have. */
export async function problemsOf(manifest: Manifest): Promise<string[]> {
  const known = byHand[`${manifest.apiVersion} ${manifest.kind}`];
  if (known !== undefined) {
    return leavesOf(manifest).flatMap((path) => (known.includes(path) ? [] : [`unknown: ${path}`]));
  }
  const model = await modelOf(manifest);
  const errors: string[] = [];
  const unread = unreadMembers(manifest, (watched) => {
    try {
      // Made from it, a model would have read all of it beforehand.
      model.prototype.validate.call(watched);
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
    }
  });
  return errors.length > 0 ? errors : unread.map((path) => `unknown: ${path}`);
}

/** The members of all items of a list count as those of one. */
const leavesOf = (value: Manifest, path: readonly string[] = []): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, one]) => leavesOf(one, Array.isArray(value) ? path : [...path, name]))
    : [path.join(".")];

async function modelOf({ apiVersion, kind }: Manifest): Promise<Model> {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const folder = packages[group] ?? `kubernetes-models${group === "" ? "" : `/${group}`}`;
  const models = (await import(`${folder}/${version}`)) as Record<string, Model>;
  const model = models[kind];
  if (model === undefined) throw new Error(`there is no schema of ${apiVersion} ${kind}`);
  return model;
}
