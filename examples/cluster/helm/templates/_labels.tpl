{{- define "glovebox.selector" -}}
app.kubernetes.io/name: glovebox
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "glovebox.config" -}}
{{- $own := dict "listen" "0.0.0.0:8282" "tls" (dict "plain" true) "state" (dict "nats" (dict "url" .Values.natsURL "nkey" "/etc/glovebox/secrets/gateway.nk" "replicas" 3)) -}}
{{- toYaml (merge $own .Values.config) -}}
{{- end -}}
{{- define "glovebox.seconds" -}}
{{- trimSuffix "s" . | int -}}
{{- end -}}
