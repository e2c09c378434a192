{{- define "xxlwheel.name" -}}
{{- if contains "xxlwheel" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-xxlwheel{{ end }}
{{- end }}

{{- define "xxlwheel.selector" -}}
app.kubernetes.io/name: xxlwheel
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "xxlwheel.labels" -}}
{{ include "xxlwheel.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
