#!/bin/sh
# Makes the secrets of compose.yaml in ./secrets, for the user of the containers (65532),
# and the public half of the gateways' key in .env. Run it once, as root.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir secrets # fails if they are there
head -c 32 /dev/urandom | base64 | tr '+/' '-_' > secrets/token
nk() { docker run --rm -i natsio/nats-box:0.18.0 nk "$@"; }
nk -gen user > secrets/gateway.nk
echo "GATEWAY_KEY=$(nk -inkey /dev/stdin -pubout < secrets/gateway.nk)" > .env
password=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
cat > secrets/routes.conf <<EOF
authorization { user: route, password: "$password" }
routes: [nats://route:$password@nats-1:6222, nats://route:$password@nats-2:6222, nats://route:$password@nats-3:6222]
EOF
chown -R 65532:65532 secrets
