# docker build -t cudald . && docker run --rm -v "$PWD:/work" cudald check dist
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends \
    g++ libarchive-dev libboost-program-options-dev libcurl4-openssl-dev libfmt-dev libisal-dev libtomlplusplus-dev meson \
    nlohmann-json3-dev pkg-config python3
COPY . /src
RUN meson setup /build /src -Dtests=disabled -Ddefault_library=static -Dprefix=/usr -Dstrip=true \
    && ninja -C /build \
    && DESTDIR=/out meson install -C /build --no-rebuild --tags wheel

FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends \
    ca-certificates libarchive13 libcurl4 libisal2 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr/bin/cudald /usr/bin/cudald
COPY --from=build /out/usr/libexec/cudald-probe-child /usr/libexec/cudald-probe-child
USER nobody
WORKDIR /work
ENTRYPOINT ["cudald"]
CMD ["--help"]
