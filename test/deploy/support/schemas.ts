import { unreadMembers } from "./known-fields.ts";
import type { Manifest } from "./manifests.ts";

interface Model {
  readonly prototype: { validate(this: object): void };
}

const packages: Readonly<Record<string, string>> = {
  "postgresql.cnpg.io": "@kubernetes-models/cloudnative-pg/postgresql.cnpg.io",
  "cert-manager.io": "@kubernetes-models/cert-manager/cert-manager.io",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator/monitoring.coreos.com",
  "keda.sh": "@kubernetes-models/keda/keda.sh",
};

/** Kinds that no package describes: the paths of all members that we use, read in their documentation. */
const byHand: Readonly<Record<string, readonly string[]>> = {
  "barmancloud.cnpg.io/v1 ObjectStore": [
    ...["apiVersion", "kind", "metadata.name", "metadata.namespace", "spec.retentionPolicy"],
    "spec.configuration.destinationPath",
    ...["accessKeyId", "secretAccessKey"].flatMap((one) =>
      ["name", "key"].map((member) => `spec.configuration.s3Credentials.${one}.${member}`),
    ),
    ...["wal", "data"].map((one) => `spec.configuration.${one}.compression`),
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

const leavesOf = (value: Manifest): string[] =>
  Object.entries(value).flatMap(([name, one]) =>
    typeof one === "object" && one !== null ? leavesOf(one).map((path) => `${name}.${path}`) : [name],
  );

async function modelOf({ apiVersion, kind }: Manifest): Promise<Model> {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const folder = packages[group] ?? `kubernetes-models${group === "" ? "" : `/${group}`}`;
  const models = (await import(`${folder}/${version}`)) as Record<string, Model>;
  const model = models[kind];
  if (model === undefined) throw new Error(`there is no schema of ${apiVersion} ${kind}`);
  return model;
}
