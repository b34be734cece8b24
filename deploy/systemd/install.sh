#!/bin/sh
# Puts this release where the units look for it, with the secrets of deploy/make-secrets.sh. Run it again for the next one.
#   deploy/systemd/install.sh DATABASE_HOST:PORT NATS_HOST:PORT
# Secrets and settings that are there already stay as they are, whatever is told. DATABASE_OPTIONS is added to the address of the database, such as '?sslmode=verify-full&sslrootcert=/etc/assent/ca.pem'; unless
# told, a database on another machine must have a certificate of a public authority. ROOT is put before every path.
set -eu
database="${1:?where the database listens, such as 127.0.0.1:5432}"
nats="${2:?where NATS listens, such as 127.0.0.1:4222}"
case "$database" in
127.* | localhost | localhost:* | "[::1]"*) options="${DATABASE_OPTIONS-}" ;;
*) options="${DATABASE_OPTIONS-?sslmode=verify-full}" ;;
esac
root="${ROOT:-}"
units="$(cd "$(dirname "$0")" && pwd)"
release="$(cd "$units/../.." && pwd)"
secrets="$release/deploy/secrets"
etc="$root/etc/assent"

mkdir -p "$etc" "$root/etc/systemd/system" "$root/opt"
install -d -m 700 "$etc/secrets"
install -d -m 750 "$etc/shared"

# keep FOLDER NAME COMMAND…: what the command prints, readable for root alone until it is whole. What is there stays: it may have
# been changed since, and what was encrypted with it cannot be read with another.
keep() {
  file="$etc/$1/$2"
  shift 2
  [ -s "$file" ] || (umask 077 && "$@" > "$file.new" && mv "$file.new" "$file")
}
url() { printf 'postgres://%s:%s@%s/assent%s' "$1" "$(cat "$secrets/$2")" "$database" "$options"; }
bus() { printf 'nats://assent:%s@%s' "$(cat "$secrets/nats-password")" "$nats"; }
for name in ADMIN_TOKEN AUTH_MASTER_KEY CLICK_MASTER_KEY SIGN_MASTER_KEY WEBHOOKS_MASTER_KEY SEAL_KEY SEAL_CERTIFICATES; do
  keep secrets "$name" cat "$secrets/$name"
done
keep secrets DATABASE_OWNER_URL url assent_owner database-password
keep shared DATABASE_URL url assent_login login-password
keep shared NATS_URL bus
keep shared INTERNAL_TOKEN_KEYS cat "$secrets/INTERNAL_TOKEN_KEYS"
if [ -z "$root" ]; then
  getent group assent > /dev/null || groupadd --system assent
  chgrp -R assent "$etc/shared"
  chmod 640 "$etc"/shared/*
fi

# Settings are yours once they are there.
for name in assent.env migrate.env; do
  [ -e "$etc/$name" ] || cp "$units/$name" "$etc/$name"
done
cp -R "$units"/*.service "$units"/*.target "$units"/*.service.d "$root/etc/systemd/system/"
ln -sfn "$release" "$root/opt/assent"
