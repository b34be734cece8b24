#!/bin/sh
# Puts the secrets of deploy/make-secrets.sh into a namespace, as the manifests name them.
#   deploy/k8s/apply-secrets.sh DATABASE_HOST [NAMESPACE] [FOLDER]
# DATABASE_HOST is postgres-rw with CloudNativePG and postgres in the overlay `local`. With PRINT=1 only prints the manifests.
# DATABASE_OPTIONS is added to the address of the database, such as ?sslmode=verify-full for a certificate of a public authority;
# unless told, the authority is the one that components/database-authority puts there.
# With VAULT, such as secret/assent, puts them into HashiCorp Vault (the program vault, logged in), below that path of its second
# version of key-value stores: components/external-secrets brings them from there.
set -eu
host="${1:?the host of the database: postgres-rw or postgres}"
namespace="${2:-assent}"
folder="${3:-$(dirname "$0")/../secrets}"

# into_vault generic NAME --from-file=PATH --from-literal=KEY=TEXT …
into_vault() {
  name="$2"
  shift 2
  for one; do
    shift
    case "$one" in
    --from-file=*) set -- "$@" "$(basename "${one#*=}")=@${one#*=}" ;;
    *) set -- "$@" "${one#*=}" ;;
    esac
  done
  vault kv put "$VAULT/$name" "$@"
}

emit() {
  if [ -n "${VAULT:-}" ]; then into_vault "$@"; return; fi
  kubectl create secret "$@" --namespace "$namespace" --dry-run=client --output yaml
  echo "---"
}

# CloudNativePG sets a password anew when a Secret with this label changes.
emit_login() {
  if [ -n "${VAULT:-}" ]; then into_vault generic "$@"; return; fi
  kubectl create secret generic "$@" --type=kubernetes.io/basic-auth --namespace "$namespace" --dry-run=client --output yaml |
    kubectl label --local --filename - --output yaml cnpg.io/reload=true
  echo "---"
}

# The local database has only its owner, and no certificate.
login=assent_login
password="$(cat "$folder/login-password")"
encryption="${DATABASE_OPTIONS-?sslmode=verify-full&sslrootcert=/run/postgres-ca/ca.crt}"
if [ "$host" = postgres ]; then
  login=assent_owner
  password="$(cat "$folder/database-password")"
  encryption=""
fi

# Where there is a certificate, NATS has one, too (components/mtls).
nats_url="$(cat "$folder/nats-url")"
[ "$host" = postgres ] || nats_url="$(printf %s "$nats_url" | sed 's#^nats://\(.*@nats:4222\)$#tls://\1?ca=/run/nats-ca/ca.crt#')"

manifests() {
  emit generic assent-keys \
    --from-file="$folder/AUTH_MASTER_KEY" --from-file="$folder/CLICK_MASTER_KEY" \
    --from-file="$folder/SIGN_MASTER_KEY" --from-file="$folder/WEBHOOKS_MASTER_KEY" \
    --from-file="$folder/ADMIN_TOKEN"
  emit generic assent-internal --from-file="$folder/INTERNAL_TOKEN_KEYS"
  emit generic assent-nats \
    --from-literal=nats-url="$nats_url" --from-file="$folder/nats-authorization" --from-file="$folder/nats-routes"
  # The last one is not in folders of earlier releases.
  set -- --from-file="$folder/SEAL_KEY" --from-file="$folder/SEAL_CERTIFICATES"
  [ ! -e "$folder/SEAL_FORMER_CERTIFICATES" ] || set -- "$@" --from-file="$folder/SEAL_FORMER_CERTIFICATES"
  emit generic assent-seal "$@"
  emit_login assent-database-owner \
    --from-literal=username=assent_owner --from-literal=password="$(cat "$folder/database-password")" \
    --from-literal=uri="postgres://assent_owner:$(cat "$folder/database-password")@$host:5432/assent$encryption"
  emit_login assent-database-login \
    --from-literal=username="$login" --from-literal=password="$password" \
    --from-literal=uri="postgres://$login:$password@$host:5432/assent$encryption"
}

if [ "${PRINT:-}" = 1 ] || [ -n "${VAULT:-}" ]; then
  manifests
else
  # All of them are made before any is sent: a file that is missing must not leave half of them behind.
  made="$(manifests)"
  kubectl create namespace "$namespace" --dry-run=client --output yaml | kubectl apply --filename -
  printf '%s\n' "$made" | kubectl apply --filename -
fi
