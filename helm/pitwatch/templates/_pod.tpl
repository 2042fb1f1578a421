{{/* A pod's metadata. What its files hold is part of it, so that a change of them restarts the pod. */}}
{{- define "pitwatch.pod.metadata" -}}
labels:
  {{- include "pitwatch.labels" . | nindent 2 }}
  {{- with (.values).podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  {{- if .files }}
  checksum/files: {{ include "pitwatch.files" .root | sha256sum }}
  {{- end }}
  {{- with (.values).podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* What every pod is bound to: the restricted pod security standard, and no token of the cluster. */}}
{{- define "pitwatch.pod.security" -}}
serviceAccountName: {{ include "pitwatch.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- with .root.Values.runAsUser }}
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Where a component's pods run, and how long they have to stop. */}}
{{- define "pitwatch.pod.place" -}}
terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.topologySpread.keys }}
topologySpreadConstraints:
  {{- range . }}
  - topologyKey: {{ . | quote }}
    maxSkew: 1
    whenUnsatisfiable: {{ $.root.Values.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "pitwatch.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* What every container of Pitwatch's image is bound to. */}}
{{- define "pitwatch.container" -}}
image: {{ include "pitwatch.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- with (.values).resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Alive is asked for restarts, ready for traffic and rolls: recovery of any length is no death. */}}
{{- define "pitwatch.probes" -}}
{{- $check := dict "port" .port -}}
{{- if .scheme -}}{{- $_ := set $check "scheme" .scheme -}}{{- end -}}
startupProbe:
  httpGet: {{ merge (dict "path" "/healthz") $check | toJson }}
  {{- toYaml .values.probes.startup | nindent 2 }}
livenessProbe:
  httpGet: {{ merge (dict "path" "/healthz") $check | toJson }}
  {{- toYaml .values.probes.liveness | nindent 2 }}
readinessProbe:
  httpGet: {{ merge (dict "path" "/readyz") $check | toJson }}
  {{- toYaml .values.probes.readiness | nindent 2 }}
{{- end -}}

{{/* The Secret of who a component is to Kafka: its own, or that of all; nothing in the clear. */}}
{{- define "pitwatch.kafka.secret" -}}
{{- get .root.Values.kafka.secrets .component | default .root.Values.kafka.existingSecret -}}
{{- end -}}

{{/* The environment that every process has; a component's own extraEnv comes last. */}}
{{- define "pitwatch.env" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: PITWATCH_CACHE
  value: /var/lib/pitwatch/cache
{{- with .root.Values.registry.existingSecret }}
- name: PITWATCH_REGISTRY
  valueFrom:
    secretKeyRef:
      name: {{ . | quote }}
      key: url
{{- end }}
{{- with include "pitwatch.kafka.secret" . }}
- name: PITWATCH_KAFKA_USER
  valueFrom:
    secretKeyRef:
      name: {{ . | quote }}
      key: user
- name: PITWATCH_KAFKA_PASSWORD_FILE
  value: /etc/pitwatch/kafka/password
- name: PITWATCH_KAFKA_CA
  value: /etc/pitwatch/kafka/ca.crt
{{- end }}
{{- end -}}

{{/* The database's address, which holds its password. */}}
{{- define "pitwatch.env.database" -}}
- name: PITWATCH_DATABASE
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.database.existingSecret | quote }}
      key: url
{{- end -}}

{{/* The folders that a process may write, and the files that it reads; a gateway's is its spool. */}}
{{- define "pitwatch.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if ne .component "gateway" }}
- name: data
  mountPath: /var/lib/pitwatch
{{- end }}
{{- if .files }}
- name: files
  mountPath: /etc/pitwatch/files
  readOnly: true
{{- end }}
{{- if include "pitwatch.kafka.secret" . }}
- name: kafka
  mountPath: /etc/pitwatch/kafka
  readOnly: true
{{- end }}
{{- with (.values).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "pitwatch.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- if ne .component "gateway" }}
- name: data
  emptyDir:
    sizeLimit: 1Gi
{{- end }}
{{- if .files }}
- name: files
  configMap:
    name: {{ include "pitwatch.fullname" .root }}-files
{{- end }}
{{- with include "pitwatch.kafka.secret" . }}
- name: kafka
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
    items:
      - key: password
        path: password
      - key: ca.crt
        path: ca.crt
{{- end }}
{{- with (.values).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Secrets as files: the folder under /etc/pitwatch by the name of the Secret, where there is one. */}}
{{- define "pitwatch.secret.mounts" -}}
{{- range $folder, $secret := . }}
{{- if $secret }}
- name: {{ $folder }}
  mountPath: /etc/pitwatch/{{ $folder }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- define "pitwatch.secret.volumes" -}}
{{- range $folder, $secret := . }}
{{- if $secret }}
- name: {{ $folder }}
  secret:
    secretName: {{ $secret | quote }}
    defaultMode: 0440
{{- end }}
{{- end }}
{{- end -}}

{{/* How gateways are spoken to. */}}
{{- define "pitwatch.intake.scheme" -}}
{{ ternary "https" "http" (ne .Values.gateway.tls.existingSecret "") }}
{{- end -}}

{{/* By what domain gateways are dialled, from outside the namespace too. */}}
{{- define "pitwatch.intake.domain" -}}
{{ .Values.gateway.service.domain | default (printf "%s.svc" .Release.Namespace) }}
{{- end -}}

{{/* Who signed the gateways' certificate, without its key. */}}
{{- define "pitwatch.gatewayCa.mount" -}}
{{- if .Values.gateway.tls.existingSecret }}
- name: gateway-ca
  mountPath: /etc/pitwatch/gateway-ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "pitwatch.gatewayCa.volume" -}}
{{- with .Values.gateway.tls.existingSecret }}
- name: gateway-ca
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
    items:
      - key: ca.crt
        path: ca.crt
{{- end }}
{{- end -}}

{{/* Versions of records that are not the newest. */}}
{{- define "pitwatch.writeVersions" -}}
{{- range $record, $version := .Values.writeVersions }}
- "--write-version={{ $record }}={{ $version }}"
{{- end }}
{{- end -}}

{{/* The files that processes read: the inventory, and a rulebook of the site's own. */}}
{{- define "pitwatch.files" -}}
{{- with .Values.floor }}
floor.toml: {{ toJson . }}
{{- end }}
{{- with .Values.rulebook.toml }}
rulebook.toml: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* The value of --rulebook. */}}
{{- define "pitwatch.rulebook" -}}
{{- if .Values.rulebook.toml -}}
/etc/pitwatch/files/rulebook.toml
{{- else -}}
{{ .Values.rulebook.name }}
{{- end -}}
{{- end -}}

{{- define "pitwatch.serviceAccount" -}}
{{- if .root.Values.serviceAccounts.create -}}
{{ include "pitwatch.name" . }}
{{- else -}}
{{ .root.Values.serviceAccounts.name | default "default" }}
{{- end -}}
{{- end -}}
