# One image for every part: `docker run leadgate api`, `worker`, `sandbox`. docker-compose.yml joins them.

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY tools tools
RUN node scripts/bootstrap.mjs build

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The SDK brings its core for five platforms, some 30 MB each.
RUN npm ci --ignore-scripts --omit=dev \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name '*-unknown-linux-gnu' -exec rm -r {} +

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# The SDK's core checks a Temporal's certificate against the system's list, which the slim image does not have.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json package-lock.json ./
COPY scripts/bootstrap.mjs scripts/bootstrap.mjs
COPY config/sites.json config/sites.json
COPY --from=build /app/dist dist
# A volume that is laid over it belongs to the same user.
RUN mkdir -m 700 /data && chown node:node /data
USER node
# Without TypeScript in node_modules bootstrap.mjs knows that it is in an image: it installs and builds nothing.
ENTRYPOINT ["node", "scripts/bootstrap.mjs"]
CMD ["api"]
