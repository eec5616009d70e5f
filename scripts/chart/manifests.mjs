/** What must hold of the manifests that the chart renders. Each rule returns what breaks it. */
import { built } from '../service.mjs';

const { isSecret, variables } = await built('src/config/settings.js');

const ofKind = (documents, ...kinds) => documents.filter(({ kind }) => kinds.includes(kind));
export const deploymentOf = (documents, part) => ofKind(documents, 'Deployment').find(({ metadata }) => metadata.name.endsWith(`-${part}`));
const podOf = ({ spec }) => spec.template.spec;
export const containerOf = (document) => podOf(document).containers[0];
const workloads = (documents) => ofKind(documents, 'Deployment', 'Job');

/** The files that a pod's projected volumes hold, as paths of the container. */
function filesOf(document) {
  const { volumes } = podOf(document);
  return containerOf(document).volumeMounts.flatMap(({ name, mountPath }) => {
    const { projected } = volumes.find((volume) => volume.name === name) ?? {};
    const items = (projected?.sources ?? []).flatMap(({ secret, configMap }) => (secret ?? configMap).items);
    return items.map(({ path }) => `${mountPath}/${path}`);
  });
}

export const isInFile = (value) => value.startsWith('/run/');

function matches(selector, labels) {
  const wanted = Object.entries(selector.matchLabels ?? {});
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
}

const selectedBy = (documents, selector) =>
  workloads(documents)
    .filter(({ spec }) => matches(selector, spec.template.metadata.labels))
    .map(({ metadata }) => metadata.labels['app.kubernetes.io/component'])
    .join(' ');

/** Of each document: the parts that it must select. */
function wantedSelection({ kind, metadata: { name, labels } }) {
  if (kind !== 'NetworkPolicy') return labels['app.kubernetes.io/component'];
  return /-(api|worker)$/.exec(name)?.[1];
}

const selectorOf = ({ kind, spec }) => (kind === 'Service' ? { matchLabels: spec.selector } : (spec.selector ?? spec.podSelector));

const portsOf = (documents) => ofKind(documents, 'NetworkPolicy').flatMap(({ spec }) => spec.ingress ?? []);

/** Which manifests there must be, by the values. */
const counts = ({ data = {}, networkPolicy = {}, replayBeforeUpgrade = {}, api = {}, worker = {} }) => ({
  Deployment: 2,
  PodDisruptionBudget: 2,
  Service: 1,
  ServiceAccount: 1,
  PersistentVolumeClaim: data.existingClaim ? 0 : 1,
  NetworkPolicy: networkPolicy.enabled === false ? 0 : 3,
  Job: replayBeforeUpgrade.enabled === false ? 0 : 1,
  HorizontalPodAutoscaler: [api, worker].filter(({ autoscaling }) => autoscaling?.enabled).length,
});

export const rules = {
  'has each kind of manifest, and no other': (documents, values) => {
    const found = Object.entries(counts(values)).filter(([kind, count]) => ofKind(documents, kind).length !== count);
    return [...found.map(([kind]) => kind), ...documents.map(({ kind }) => kind).filter((kind) => !(kind in counts(values)))];
  },

  'runs no pod as root, and gives none a token, service links, or another profile of system calls': (documents) =>
    workloads(documents).filter((document) => {
      const { securityContext, automountServiceAccountToken, enableServiceLinks, hostNetwork, hostPID } = podOf(document);
      const isBound = securityContext.runAsNonRoot && securityContext.runAsUser === 1000 && securityContext.fsGroup === 1000;
      const isAlone = automountServiceAccountToken === false && enableServiceLinks === false && !hostNetwork && !hostPID;
      return !isBound || securityContext.seccompProfile.type !== 'RuntimeDefault' || !isAlone;
    }),

  'gives each container no capability, no way to more, and a root that it cannot write': (documents) =>
    workloads(documents).filter((document) => {
      const { securityContext } = containerOf(document);
      const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities, privileged } = securityContext;
      return (
        privileged ||
        allowPrivilegeEscalation !== false ||
        !readOnlyRootFilesystem ||
        capabilities.drop.join() !== 'ALL' ||
        capabilities.add
      );
    }),

  'limits the memory of each container': (documents) =>
    workloads(documents).filter((document) => !containerOf(document).resources.limits.memory),

  'names one image by tag or digest': (documents) =>
    workloads(documents).filter((document) => !/(:(?!latest$)[\w.-]+|@sha256:[0-9a-f]{64})$/.test(containerOf(document).image)),

  'holds no secret: each is a file of a Secret': (documents) => [
    ...ofKind(documents, 'Secret', 'ConfigMap'),
    ...workloads(documents).flatMap((document) =>
      containerOf(document).env.filter(
        ({ name, value, valueFrom }) => valueFrom || (variables[name] && isSecret(variables[name]) && value),
      ),
    ),
    ...workloads(documents).filter((document) => containerOf(document).envFrom),
  ],

  'mounts the files that the settings name, and no other': (documents) =>
    workloads(documents).flatMap((document) => {
      const named = containerOf(document).env.map(({ value }) => value);
      const there = filesOf(document);
      return [...named.filter((value) => isInFile(value) && !there.includes(value)), ...there.filter((path) => !named.includes(path))];
    }),

  'gives every part the same settings, each once': (documents) =>
    workloads(documents).filter((document, _, [first]) => {
      const { env } = containerOf(document);
      return JSON.stringify(env) !== JSON.stringify(containerOf(first).env) || new Set(env.map(({ name }) => name)).size !== env.length;
    }),

  'mounts every volume that it names': (documents) =>
    workloads(documents).filter((document) => {
      const { volumes } = podOf(document);
      const mounted = containerOf(document).volumeMounts.map(({ name }) => name);
      return volumes.some(({ name }) => !mounted.includes(name)) || mounted.some((name) => !volumes.some((volume) => volume.name === name));
    }),

  'lets each part write into the shared data and a directory of its own alone': (documents) =>
    ofKind(documents, 'Deployment').filter((document) => {
      const writable = containerOf(document).volumeMounts.filter(({ readOnly }) => !readOnly);
      return writable.map(({ mountPath }) => mountPath).join() !== '/data,/tmp';
    }),

  'selects the pods of its part': (documents) =>
    [...ofKind(documents, 'Service', 'PodDisruptionBudget', 'Deployment', 'NetworkPolicy')].filter((document) => {
      const all = workloads(documents).map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
      return selectedBy(documents, selectorOf(document)) !== (wantedSelection(document) ?? all.join(' '));
    }),

  'scales the Deployment of its part, which then has no number of its own': (documents) =>
    ofKind(documents, 'HorizontalPodAutoscaler').filter(({ metadata, spec: { scaleTargetRef } }) => {
      const target = deploymentOf(documents, metadata.labels['app.kubernetes.io/component']);
      return target.metadata.name !== scaleTargetRef.name || 'replicas' in target.spec;
    }),

  'lets callers in by the port of the API alone, and only to /metrics of the workers': (documents) =>
    portsOf(documents).filter(({ from, ports }) => !from?.length || ports.length !== 1 || !['http', 'metrics'].includes(ports[0].port)),

  'lets every pod out to Temporal': (documents, { temporal }) => {
    const [every] = ofKind(documents, 'NetworkPolicy');
    const port = Number(temporal.address.split(':')[1]);
    return every?.spec.egress.some(({ to, ports }) => to.length > 0 && ports.some((one) => one.port === port)) === false ? [every] : [];
  },

  'probes ports that are there': (documents) =>
    ofKind(documents, 'Deployment').filter((document) => {
      const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(document);
      const named = ports.map(({ name }) => name);
      return [startupProbe, livenessProbe, readinessProbe].some((probe) => !named.includes(probe?.httpGet.port));
    }),

  'gives a start the minute for which it waits for Temporal': (documents) =>
    ofKind(documents, 'Deployment').filter((document) => {
      const { periodSeconds, failureThreshold } = containerOf(document).startupProbe;
      return periodSeconds * failureThreshold < 90;
    }),

  'keeps the audit trail when the release is uninstalled': (documents) =>
    ofKind(documents, 'PersistentVolumeClaim').filter(({ metadata }) => metadata.annotations['helm.sh/resource-policy'] !== 'keep'),
};
