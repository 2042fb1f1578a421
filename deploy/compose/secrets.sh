#!/bin/sh
# Print the secrets of a new stack, made at random:
#
#     sh deploy/compose/secrets.sh >.env
set -eu
umask 077
hex() { od -An -v -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
cat <<SECRETS
PITWATCH_DATABASE_PASSWORD=$(hex 24)
PITWATCH_GRAFANA_PASSWORD=$(hex 12)
SECRETS
