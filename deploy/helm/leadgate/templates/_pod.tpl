{{- /* The directories in the container. */ -}}
{{- define "leadgate.secretsDir" -}}/run/secrets/leadgate{{- end -}}
{{- define "leadgate.filesDir" -}}/run/config/leadgate{{- end -}}

{{- /* All pods have the same settings. Numbers of values are floats, which would print as 1e+06. */ -}}
{{- define "leadgate.env" -}}
- { name: HOST, value: 0.0.0.0 }
- { name: PORT, value: '8080' }
- { name: WORKER_METRICS_PORT, value: '9090' }
- { name: SANDBOX, value: 'off' }
- { name: LEADGATE_DATA_DIR, value: /data }
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
{{- range $name, $value := .Values.settings }}
{{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}
{{- $value = int64 $value }}
{{- end }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- range $name := concat (keys .Values.secrets) (keys .Values.siteKeys) | sortAlpha }}
- { name: {{ $name }}_FILE, value: {{ include "leadgate.secretsDir" $ }}/{{ $name }} }
{{- end }}
{{- range $name := keys .Values.files | sortAlpha }}
- { name: {{ $name }}, value: {{ include "leadgate.filesDir" $ }}/{{ $name }} }
{{- end }}
{{- end -}}

{{- /* The sources of a projected volume: one for each reference, as a file with the name of its setting. */ -}}
{{- define "leadgate.sources" -}}
{{- range $name, $from := . }}
- {{ if $from.configMap }}configMap{{ else }}secret{{ end }}:
    name: {{ default $from.secret $from.configMap }}
    items: [{ key: {{ $from.key | quote }}, path: {{ $name }} }]
{{- end }}
{{- end -}}

{{- define "leadgate.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- include "leadgate.sources" (merge (dict) .Values.secrets .Values.siteKeys) | trim | nindent 6 }}
{{- with .Values.files }}
- name: files
  projected:
    defaultMode: 0440
    sources:
      {{- include "leadgate.sources" . | trim | nindent 6 }}
{{- end }}
{{- end -}}

{{- define "leadgate.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: {{ include "leadgate.secretsDir" . }}, readOnly: true }
{{- with .Values.files }}
- { name: files, mountPath: {{ include "leadgate.filesDir" $ }}, readOnly: true }
{{- end }}
{{- end -}}

{{- /* User 1000 is the image's. Service links would set TEMPORAL_PORT, a setting, where a Service has the name `temporal`. */ -}}
{{- define "leadgate.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
serviceAccountName: {{ include "leadgate.fullname" . }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .Values.pod.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.pod.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- with .Values.pod.affinity }}
affinity: {{ toJson . }}
{{- end }}
{{- end -}}

{{- define "leadgate.container" -}}
image: {{ include "leadgate.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  {{- include "leadgate.env" . | nindent 2 }}
{{- end -}}

{{- /* The Deployment of a part, up to its probes: of `part`, with the port `port`, and `graceS` seconds to stop in. */ -}}
{{- define "leadgate.deployment" -}}
{{- $values := index .Values .part -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "leadgate.fullname" . }}-{{ .part }}
  labels:
    {{- include "leadgate.labels" . | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  minReadySeconds: 5
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector:
    matchLabels:
      {{- include "leadgate.selector" . | nindent 6 }}
      app.kubernetes.io/component: {{ .part }}
  template:
    metadata:
      labels:
        {{- with .Values.pod.labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "leadgate.labels" . | nindent 8 }}
        app.kubernetes.io/component: {{ .part }}
      {{- with .Values.pod.annotations }}
      annotations: {{ toJson . }}
      {{- end }}
    spec:
      {{- include "leadgate.podSecurity" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ .graceS }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "leadgate.selector" . | nindent 14 }}
              app.kubernetes.io/component: {{ .part }}
      volumes:
        - name: data
          persistentVolumeClaim: { claimName: {{ include "leadgate.claim" . }} }
        {{- include "leadgate.volumes" . | nindent 8 }}
      containers:
        - name: {{ .part }}
          args: [{{ .part }}]
          {{- include "leadgate.container" . | nindent 10 }}
          {{- with $values.resources }}
          resources: {{ toJson . }}
          {{- end }}
          volumeMounts:
            - { name: data, mountPath: /data }
            {{- include "leadgate.mounts" . | nindent 12 }}
          ports:
            - { name: {{ .portName }}, containerPort: {{ .port }}, protocol: TCP }
{{- end -}}
