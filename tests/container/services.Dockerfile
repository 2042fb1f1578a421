# PostgreSQL, Prometheus and Alertmanager from Debian's packages, in place of the images that
# compose.yaml names where an image registry can be reached; for tests.
ARG BASE
FROM ${BASE} AS postgresql
COPY postgresql.sh /usr/local/bin/
RUN mkdir -p /var/lib/postgresql/data /var/run/postgresql && \
    chown postgres /var/lib/postgresql/data /var/run/postgresql
VOLUME ["/var/lib/postgresql/data"]
USER postgres
ENTRYPOINT ["sh", "/usr/local/bin/postgresql.sh"]

FROM ${BASE} AS prometheus
RUN mkdir -p /prometheus
ENTRYPOINT ["/usr/bin/prometheus"]

FROM ${BASE} AS alertmanager
RUN mkdir -p /alertmanager
ENTRYPOINT ["/usr/bin/prometheus-alertmanager"]
