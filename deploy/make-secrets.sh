#!/bin/sh
# Makes what is secret, once, in deploy/secrets (or the folder given): keys, the passwords of the database and of NATS, and a
# key with a test certificate for seals. What is there is kept: losing AUTH_MASTER_KEY, CLICK_MASTER_KEY or SIGN_MASTER_KEY loses
# what they protect, so keep a copy where you keep such things. Needs openssl.
set -eu
folder="${1:-$(dirname "$0")/secrets}"
umask 077
mkdir -p "$folder"
cd "$folder"

# 32 random bytes in base64, as the settings of that name want.
for name in AUTH_MASTER_KEY CLICK_MASTER_KEY SIGN_MASTER_KEY WEBHOOKS_MASTER_KEY INTERNAL_TOKEN_KEYS; do
  [ -s "$name" ] || openssl rand -base64 32 | tr -d '\n' > "$name"
done
for name in ADMIN_TOKEN database-password login-password nats-password nats-routes-password; do
  [ -s "$name" ] || openssl rand -hex 32 | tr -d '\n' > "$name"
done
# The certificate of the database of deploy/compose.yaml. It is its own authority, and nothing else believes it.
[ -s database-certificate ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 3650 \
  -subj "/CN=postgres" -addext "subjectAltName=DNS:postgres" -keyout database-key -out database-certificate 2>/dev/null
[ -s database-url ] ||
  printf 'postgres://assent_owner:%s@postgres:5432/assent?sslmode=verify-full&sslrootcert=/run/secrets/database-certificate' \
    "$(cat database-password)" > database-url
[ -s nats-url ] || printf 'nats://assent:%s@nats:4222' "$(cat nats-password)" > nats-url
# A part of the configuration of nats-server.
[ -s nats-authorization ] ||
  printf 'authorization { user: assent, password: "%s" }\n' "$(cat nats-password)" > nats-authorization
# Another part, for a cluster of them: what the servers prove themselves to each other with.
[ -s nats-routes ] || {
  login="routes:$(cat nats-routes-password)"
  printf 'authorization { user: routes, password: "%s" }\n' "$(cat nats-routes-password)"
  printf 'routes: [nats://%s@nats-0.nats:6222, nats://%s@nats-1.nats:6222, nats://%s@nats-2.nats:6222]\n' "$login" "$login" "$login"
} > nats-routes

# A certificate that signs itself: seals say that they are a test. docs/sealing.md tells how to get another one.
if [ ! -s SEAL_KEY ]; then
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out SEAL_KEY 2>/dev/null
  rm -f SEAL_CERTIFICATES
fi
[ -s SEAL_CERTIFICATES ] || openssl req -x509 -new -key SEAL_KEY -sha256 -days 1095 -subj "/O=Test/CN=Test document seal" \
  -addext "basicConstraints=critical,CA:FALSE" -addext "keyUsage=critical,digitalSignature,nonRepudiation" \
  -addext "extendedKeyUsage=emailProtection" -out SEAL_CERTIFICATES

# The certificates of former keys are put in here.
[ -e SEAL_FORMER_CERTIFICATES ] || : > SEAL_FORMER_CERTIFICATES

# Containers run as another user than whoever makes these; the folder itself is closed, also one that was there before.
chmod 700 .
chmod 644 ./*
echo "secrets are in $(pwd)"
