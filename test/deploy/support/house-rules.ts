import { type Manifest, nameOf, ofKind } from "./manifests.ts";

/** A rule that every cluster must keep, and what breaks it. */
export interface HouseRule {
  readonly title: string;
  /** Names of what breaks the rule. */
  readonly broken: (manifests: readonly Manifest[]) => string[];
}

const podOf = ({ spec }: Manifest): Manifest => spec.template.spec;
const containersOf = (workload: Manifest): Manifest[] => podOf(workload).containers;
const workloadKinds = ["Deployment", "StatefulSet", "Job"];
const workloads = (manifests: readonly Manifest[]): Manifest[] =>
  workloadKinds.flatMap((kind) => ofKind(manifests, kind));
const appName = ({ spec }: Manifest): string => spec.template.metadata.labels["app.kubernetes.io/name"];
const isOurs = (workload: Manifest): boolean => containersOf(workload).some(({ command }) => command?.[0] === "node");

const each =
  (
    kinds: (manifests: readonly Manifest[]) => Manifest[],
    isKept: (one: Manifest, all: readonly Manifest[]) => boolean,
  ) =>
  (manifests: readonly Manifest[]): string[] =>
    kinds(manifests)
      .filter((one) => !isKept(one, manifests))
      .map(nameOf);

const deployments = (manifests: readonly Manifest[]): Manifest[] => ofKind(manifests, "Deployment");

/** What holds on every cluster, the smallest one too. */
export const rulesOfAll: readonly HouseRule[] = [
  {
    title: "pods run as nobody in particular, change nothing of their image and may do nothing else",
    broken: each(workloads, (workload) => {
      const { securityContext: pod, automountServiceAccountToken } = podOf(workload);
      return (
        automountServiceAccountToken === false &&
        pod.runAsNonRoot === true &&
        pod.seccompProfile.type === "RuntimeDefault" &&
        containersOf(workload).every(
          ({ securityContext: own }) =>
            own.allowPrivilegeEscalation === false &&
            own.readOnlyRootFilesystem === true &&
            own.capabilities.drop.includes("ALL"),
        )
      );
    }),
  },
  {
    title: "containers say what they need and how much memory they may take, and are not held back by a CPU limit",
    broken: each(workloads, (workload) =>
      containersOf(workload).every(
        ({ resources }) =>
          resources.requests.cpu && resources.requests.memory && resources.limits.memory && !resources.limits.cpu,
      ),
    ),
  },
  {
    title: "Deployments are asked whether they live and whether they are ready",
    broken: each(deployments, (deployment) =>
      containersOf(deployment).every(
        ({ startupProbe, readinessProbe, livenessProbe }) => startupProbe && readinessProbe && livenessProbe,
      ),
    ),
  },
  {
    title: "services outlast a failover of the database, and a gateway that hangs is left soon",
    broken: each(deployments, (deployment) =>
      containersOf(deployment).every(({ readinessProbe: { periodSeconds, failureThreshold } = {} }) =>
        deployment.metadata.name === "gateway"
          ? periodSeconds * failureThreshold <= 6
          : periodSeconds * failureThreshold > 30,
      ),
    ),
  },
  {
    title: "Deployments are replaced one pod after the other, and pods have time to end",
    broken: each(
      deployments,
      (deployment) =>
        deployment.spec.strategy.rollingUpdate.maxUnavailable === 0 &&
        podOf(deployment).terminationGracePeriodSeconds >= 40 &&
        containersOf(deployment).every(({ lifecycle }) => lifecycle.preStop.sleep.seconds >= 5),
    ),
  },
  {
    title: "Deployments are spread over zones and hosts",
    broken: each(deployments, (deployment) => {
      const keys = podOf(deployment).topologySpreadConstraints?.map(({ topologyKey }: Manifest) => topologyKey);
      return keys?.includes("topology.kubernetes.io/zone") && keys.includes("kubernetes.io/hostname");
    }),
  },
  {
    title: "each workload of ours has a service account of its own",
    broken: each(
      (manifests) => workloads(manifests).filter(isOurs),
      (workload, all) =>
        podOf(workload).serviceAccountName === appName(workload) &&
        ofKind(all, "ServiceAccount").some(({ metadata }) => metadata.name === appName(workload)),
    ),
  },
  {
    title: "services that answer gRPC are headless, so that callers see every pod",
    broken: each(
      (manifests) =>
        ofKind(manifests, "Service").filter(({ spec }) => spec.ports.some((port: Manifest) => port.port === 50051)),
      ({ spec }) => spec.clusterIP === "None",
    ),
  },
  {
    title: "selectors of services find pods that have the ports they name",
    broken: each(
      (manifests) => ofKind(manifests, "Service"),
      ({ spec }, all) =>
        workloads(all).some(
          (workload) =>
            appName(workload) === spec.selector["app.kubernetes.io/name"] &&
            spec.ports.every((port: Manifest) =>
              containersOf(workload).some(({ ports }) => ports?.some(({ name }: Manifest) => name === port.targetPort)),
            ),
        ),
    ),
  },
  {
    title: "images have a version, and never the latest",
    broken: each(workloads, (workload) =>
      containersOf(workload).every(({ image }) => /[:@]/.test(image) && !image.endsWith(":latest")),
    ),
  },
  {
    title: "secrets are named, and never part of a manifest",
    broken: each(
      (manifests) => [...ofKind(manifests, "Secret"), ...ofKind(manifests, "ConfigMap")],
      ({ kind, data }) => kind === "ConfigMap" && !/(KEY|TOKEN|SECRET|PASSWORD)\b/.test(Object.keys(data).join(" ")),
    ),
  },
  {
    title: "the namespace refuses pods with more rights",
    broken: each(
      (manifests) => ofKind(manifests, "Namespace"),
      ({ metadata }) => metadata.labels["pod-security.kubernetes.io/enforce"] === "restricted",
    ),
  },
  {
    title: "everything is in one namespace",
    broken: each(
      (manifests) => manifests.filter(({ kind }) => kind !== "Namespace"),
      ({ metadata }) => metadata.namespace === "assent",
    ),
  },
];

const policiesFor = (all: readonly Manifest[], name: string): Manifest[] =>
  ofKind(all, "NetworkPolicy").filter(({ spec }) => spec.podSelector.matchLabels?.["app.kubernetes.io/name"] === name);

/** What a PodMonitor finds: workloads with their ports. */
const monitoredBy = ({ selector, podMetricsEndpoints }: Manifest, all: readonly Manifest[]) =>
  workloads(all).flatMap((workload) => {
    const { labels } = workload.spec.template.metadata;
    if (Object.entries(selector.matchLabels).some(([name, value]) => labels[name] !== value)) return [];
    const ports: Manifest[] = containersOf(workload).flatMap((container) => container.ports ?? []);
    return podMetricsEndpoints.flatMap(({ port: wanted }: Manifest) =>
      ports.filter(({ name }) => name === wanted).map(({ containerPort: port }) => ({ workload, port })),
    );
  });

const isOpenToMonitoring = (all: readonly Manifest[], name: string, port: number): boolean =>
  policiesFor(all, name).some(({ spec }) =>
    spec.ingress.some(
      ({ from, ports }: Manifest) =>
        JSON.stringify(from ?? []).includes('"kubernetes.io/metadata.name":"monitoring"') &&
        ports.some((one: Manifest) => one.port === port),
    ),
  );

/** What holds wherever people rely on it. */
export const rulesOfServing: readonly HouseRule[] = [
  {
    title: "whatever has several pods keeps all but one while nodes are emptied",
    broken: each(
      (manifests) => [...deployments(manifests), ...ofKind(manifests, "StatefulSet")],
      (workload, all) =>
        ofKind(all, "PodDisruptionBudget").some(
          ({ spec }) =>
            spec.maxUnavailable === 1 && spec.selector.matchLabels["app.kubernetes.io/name"] === appName(workload),
        ),
    ),
  },
  {
    title: "each Deployment has at least two pods",
    broken: each(deployments, ({ metadata, spec }, all) => {
      const scalers = [...ofKind(all, "HorizontalPodAutoscaler"), ...ofKind(all, "ScaledObject")];
      const scaler = scalers.find((one) => one.spec.scaleTargetRef.name === metadata.name);
      return (scaler?.spec.minReplicas ?? scaler?.spec.minReplicaCount ?? spec.replicas ?? 1) >= 2;
    }),
  },
  {
    title: "nothing goes in or out that no policy allows, and each workload has a policy of its own",
    broken: (manifests) => {
      const closed = ofKind(manifests, "NetworkPolicy").find(({ metadata }) => metadata.name === "default-deny");
      if (Object.keys(closed?.spec.podSelector ?? { open: true }).length > 0) return ["default-deny"];
      return each(workloads, (workload, all) => policiesFor(all, appName(workload)).length === 1)(manifests);
    },
  },
  {
    title: "no policy lets a pod reach private addresses outside the namespace by address",
    broken: each(
      (manifests) => ofKind(manifests, "NetworkPolicy"),
      ({ spec }) =>
        (spec.egress ?? []).every((rule: Manifest) =>
          (rule.to ?? []).every(
            ({ ipBlock }: Manifest) =>
              ipBlock === undefined || ipBlock.cidr === "2000::/3" || ipBlock.except?.includes("10.0.0.0/8"),
          ),
        ),
    ),
  },
  {
    title: "Prometheus may come to every port that it is told to ask, and every workload of ours has one",
    broken: (manifests) => {
      const asked = ofKind(manifests, "PodMonitor").flatMap(({ spec }) => monitoredBy(spec, manifests));
      const closed = asked.filter(({ workload, port }) => !isOpenToMonitoring(manifests, appName(workload), port));
      const unasked = workloads(manifests).filter(
        (workload) => workload.kind !== "Job" && !asked.some((one) => one.workload === workload),
      );
      return [...closed.map(({ workload }) => workload), ...unasked].map(nameOf);
    },
  },
  {
    title: "metrics of every pod are read, and the database is backed up and commits in two places",
    broken: (manifests) => {
      const cluster = ofKind(manifests, "Cluster")[0];
      const found = {
        PodMonitor: ofKind(manifests, "PodMonitor").length > 0,
        PrometheusRule: ofKind(manifests, "PrometheusRule").length > 0,
        ScheduledBackup: ofKind(manifests, "ScheduledBackup").length > 0,
        Cluster: cluster?.spec.instances >= 3 && cluster.spec.postgresql.synchronous.number >= 1,
      };
      return Object.entries(found)
        .filter(([, isThere]) => !isThere)
        .map(([kind]) => kind);
    },
  },
];
