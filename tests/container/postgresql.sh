#!/bin/sh
# Make a database on the first start and become its server, by the variables of the usual image.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
data=/var/lib/postgresql/data
if [ ! -s $data/PG_VERSION ]; then
    printf %s "$POSTGRES_PASSWORD" >/tmp/password
    initdb --pgdata=$data --username="$POSTGRES_USER" --pwfile=/tmp/password --no-sync \
        --encoding=UTF8 --no-locale --auth-local=trust --auth-host=scram-sha-256
    rm /tmp/password
    echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
    pg_ctl --pgdata=$data --wait --options="-c listen_addresses=''" start
    createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl --pgdata=$data --wait stop
fi
exec postgres -D $data -c listen_addresses='*'
