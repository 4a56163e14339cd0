# docker build -t cudald . && docker run --rm -v "$PWD:/work" cudald check dist
#
# For both machines: docker buildx build --platform linux/amd64,linux/arm64 .
# The Debian package is built on the machine of the builder, by a cross compiler where the image is for another.
FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS build
ARG TARGETARCH
ENV DEB_BUILD_OPTIONS=noautodbgsym
WORKDIR /build/cudald
COPY debian debian
RUN dpkg --add-architecture "$TARGETARCH" \
    && apt-get update \
    && if [ "$TARGETARCH" = "$(dpkg --print-architecture)" ]; then : > /build/profiles; else \
      echo cross,nocheck > /build/profiles \
      && apt-get install --yes --no-install-recommends "crossbuild-essential-$TARGETARCH"; fi \
    && apt-get build-dep --yes --no-install-recommends --host-architecture "$TARGETARCH" --arch-only \
      --build-profiles "$(cat /build/profiles)" ./
COPY . .
RUN dpkg-buildpackage --no-sign --build=any --host-arch "$TARGETARCH" --build-profiles="$(cat /build/profiles)"

FROM debian:bookworm-slim
RUN --mount=type=bind,from=build,source=/build,target=/build \
    apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libcurl4 /build/cudald_*.deb \
    && rm -rf /var/lib/apt/lists/*
USER nobody
WORKDIR /work
ENTRYPOINT ["cudald"]
CMD ["--help"]
