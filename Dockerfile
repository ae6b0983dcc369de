# oddswire as an image: built in one stage, and without anything that builds in the other.
#   docker build -t oddswire . && docker run --read-only -v oddswire:/data -p 127.0.0.1:8080:8080 oddswire serve --demo
# The native modules need glibc: no Alpine.

FROM node:22-bookworm AS build
WORKDIR /app
# Before the sources, so that a change of them does not install everything again.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# One of the binaries of uWebSockets.js is for this Node and this machine.
RUN npm run build \
  && npm prune --omit=dev \
  && node -e "for (const name of fs.readdirSync('node_modules/uWebSockets.js/dist/bin')) if (name !== ['uws', process.platform, process.arch, process.versions.modules].join('_') + '.node') fs.rmSync('node_modules/uWebSockets.js/dist/bin/' + name)"
# The commit that is built, for `oddswire_build_info`: docker build --build-arg REVISION=$(git rev-parse HEAD)
ARG REVISION=unknown
RUN node -e "fs.writeFileSync('dist/revision', process.argv[1])" "$REVISION"

FROM node:22-bookworm-slim
# A small young generation of V8 (docs/operations.md, Sizing).
ENV NODE_ENV=production \
  NODE_OPTIONS=--max-semi-space-size=4 \
  ODDSWIRE_HOST=0.0.0.0 \
  ODDSWIRE_DATA_DIR=/data
COPY --from=build /app/package.json /app/LICENSE /app/CHANGELOG.md /app/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY --from=build /app/examples /app/examples
COPY --from=build /app/coverage /app/coverage
# `oddswire …` in the container; the only folder that is written to; and the working folder, for oddswire.feeds.json and .env.
RUN ln -s /app/dist/src/main.js /usr/local/bin/oddswire \
  && install -d -o 1000 -g 1000 -m 0700 /data \
  && install -d /config
USER 1000:1000
WORKDIR /config
VOLUME /data
EXPOSE 8080 61613 9090
# Ready is when sources have delivered, 60 s after the start at the latest (--ready-after).
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.ODDSWIRE_ADMIN_PORT || 9090) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/src/main.js"]
CMD ["serve"]
