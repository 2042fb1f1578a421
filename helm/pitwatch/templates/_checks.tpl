{{/* What one key's schema cannot see: values that must fit each other. */}}
{{- define "pitwatch.checks" -}}
{{- $topics := .Values.topics -}}
{{- if gt (int $topics.inSync) (int $topics.replication) -}}
{{- fail (printf "topics.inSync: expected at most topics.replication (%v), found %v: nothing could be written" $topics.replication $topics.inSync) -}}
{{- end -}}
{{- if and (not $topics.single) (or (lt (int $topics.replication) 3) (lt (int $topics.inSync) 2)) -}}
{{- fail (printf "topics: expected a replication of at least 3 and an inSync of at least 2, found %v and %v: with fewer, one lost broker loses deals; topics.single: true allows it for a trial" $topics.replication $topics.inSync) -}}
{{- end -}}
{{- $spool := .Values.gateway.spool -}}
{{- $unit := dict "Mi" 1 "Gi" 1024 "Ti" 1048576 -}}
{{- $volume := mul (regexFind "^[0-9]+" $spool.volumeSize | int64) (get $unit (regexFind "[MGT]i$" $spool.volumeSize)) -}}
{{- if gt (mul (int64 $spool.mebibytes) 5) (mul $volume 4) -}}
{{- fail (printf "gateway.spool.mebibytes: expected at most four fifths of gateway.spool.volumeSize (%s), found %v: a volume that fills refuses every event" $spool.volumeSize $spool.mebibytes) -}}
{{- end -}}
{{- range $component := list "gateway" "worker" "console" "historian" "topics" -}}
{{- if not (or (include "pitwatch.kafka.secret" (dict "root" $ "component" $component)) $.Values.kafka.plaintext) -}}
{{- fail "kafka.existingSecret: expected a Secret with the keys user, password and ca.crt, found none; kafka.plaintext: true allows it for a trial" -}}
{{- end -}}
{{- end -}}
{{- if not (or (and .Values.gateway.tls.existingSecret .Values.gateway.deviceTokens.existingSecret) .Values.gateway.insecure) -}}
{{- fail "gateway.tls.existingSecret, gateway.deviceTokens.existingSecret: expected Secrets with a certificate and with the devices that may speak, found none of one; gateway.insecure: true allows it for a trial" -}}
{{- end -}}
{{- if not .Values.worker.unsigned -}}
{{- if not (and .Values.gateway.signingKeys.existingSecret .Values.worker.gatewayKeys.existingSecret) -}}
{{- fail "gateway.signingKeys.existingSecret, worker.gatewayKeys.existingSecret: expected Secrets with the keys that gateways sign with, as pitwatch floor keys makes them, found none of one; worker.unsigned: true allows it for a trial" -}}
{{- end -}}
{{- if not .Values.floor -}}
{{- fail "floor: expected the text of floor.toml, found none; worker.gatewayKeys asks which gateway may speak for which table" -}}
{{- end -}}
{{- $floor := fromToml .Values.floor -}}
{{- with get $floor "Error" -}}
{{- fail (printf "floor: expected the text of floor.toml, found what is no TOML: %s" .) -}}
{{- end -}}
{{- $named := list -}}
{{- range get $floor "gateways" | default list -}}
{{- $named = append $named (get . "name") -}}
{{- end -}}
{{- range $index := until (int .Values.gateway.instances) -}}
{{- $pod := printf "%s-gateway-%d" (include "pitwatch.fullname" $) $index -}}
{{- if not (has $pod $named) -}}
{{- fail (printf "floor: expected a gateway with the name %s, as its pod has, found %s" $pod (join ", " $named | default "none")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $secret := lookup "v1" "Secret" .Release.Namespace .Values.database.existingSecret -}}
{{- if $secret -}}
{{- if not (hasPrefix "postgresql" (get ($secret.data | default dict) "url" | b64dec)) -}}
{{- fail (printf "database.existingSecret: expected the Secret %s to have a key url that begins with postgresql://, found none" .Values.database.existingSecret) -}}
{{- end -}}
{{- end -}}
{{- end -}}
