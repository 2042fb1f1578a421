{{/* The release's name in names of objects, cut so that "-gateway-NNN" still fits in 63. */}}
{{- define "pitwatch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "pitwatch" .Release.Name -}}
{{- .Release.Name | trunc 44 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-pitwatch" (.Release.Name | trunc 35 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{/* What never changes of a component's pods: a StatefulSet's selector cannot be changed. */}}
{{- define "pitwatch.selector" -}}
app.kubernetes.io/name: pitwatch
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* The labels of every object. */}}
{{- define "pitwatch.labels" -}}
{{ include "pitwatch.selector" . }}
app.kubernetes.io/part-of: pitwatch
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The name of a component's objects. */}}
{{- define "pitwatch.name" -}}
{{ include "pitwatch.fullname" .root }}-{{ .component }}
{{- end -}}

{{/* The image of a component; it may have a tag of its own while versions are mixed. */}}
{{- define "pitwatch.image" -}}
{{- $tag := (.values).imageTag | default .root.Values.image.tag | default .root.Chart.AppVersion -}}
{{- if hasPrefix "sha256:" $tag -}}
{{ .root.Values.image.repository }}@{{ $tag }}
{{- else -}}
{{ .root.Values.image.repository }}:{{ $tag }}
{{- end -}}
{{- end -}}
