{{/* Kafka's ports: those of the bootstrap addresses, where none are said. */}}
{{- define "pitwatch.kafka.ports" -}}
{{- $ports := .Values.networkPolicy.kafka.ports -}}
{{- if not $ports -}}
{{- range splitList "," .Values.kafka.bootstrapServers -}}
{{- $ports = append $ports (regexFind "[0-9]+$" . | int) -}}
{{- end -}}
{{- end -}}
{{- range $ports | uniq }}
- port: {{ . }}
  protocol: TCP
{{- end -}}
{{- end -}}

{{/* Who may open a connection; no peers means anyone. */}}
{{- define "pitwatch.from" -}}
{{- with . }}
from:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "pitwatch.to" -}}
{{- with . }}
to:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The pods of one component of this release. */}}
{{- define "pitwatch.peer" -}}
- podSelector:
    matchLabels:
      {{- include "pitwatch.selector" . | nindent 6 }}
{{- end -}}

{{/* Out to Kafka, which every process speaks to, and to the registry that says what it reads there. */}}
{{- define "pitwatch.egress.kafka" -}}
- ports:
    {{- include "pitwatch.kafka.ports" . | nindent 4 }}
  {{- include "pitwatch.to" .Values.networkPolicy.kafka.to | nindent 2 }}
{{- if .Values.registry.existingSecret }}
- ports:
    - port: {{ .Values.networkPolicy.registry.port }}
      protocol: TCP
  {{- include "pitwatch.to" .Values.networkPolicy.registry.to | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "pitwatch.egress.database" -}}
- ports:
    - port: {{ .Values.networkPolicy.database.port }}
      protocol: TCP
  {{- include "pitwatch.to" .Values.networkPolicy.database.to | nindent 2 }}
{{- end -}}

{{/* Out to the health and metrics of another component. */}}
{{- define "pitwatch.egress.component" -}}
- ports:
    - port: {{ .port }}
      protocol: TCP
  to:
    {{- include "pitwatch.peer" . | nindent 4 }}
{{- end -}}
