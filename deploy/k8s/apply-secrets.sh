#!/bin/sh
# Puts the secrets of deploy/make-secrets.sh into a namespace, as the manifests name them.
#   deploy/k8s/apply-secrets.sh DATABASE_HOST [NAMESPACE] [FOLDER]
# DATABASE_HOST is postgres-rw with CloudNativePG and postgres in the overlay `local`. With PRINT=1 only prints the manifests.
set -eu
host="${1:?the host of the database: postgres-rw or postgres}"
namespace="${2:-assent}"
folder="${3:-$(dirname "$0")/../secrets}"

emit() {
  kubectl create secret "$@" --namespace "$namespace" --dry-run=client --output yaml
  echo "---"
}

# CloudNativePG sets a password anew when a Secret with this label changes.
emit_login() {
  kubectl create secret generic "$@" --type=kubernetes.io/basic-auth --namespace "$namespace" --dry-run=client --output yaml |
    kubectl label --local --filename - --output yaml cnpg.io/reload=true
  echo "---"
}

# The local database has only its owner, and no certificate.
login=assent_login
password="$(cat "$folder/login-password")"
encryption="?sslmode=no-verify"
if [ "$host" = postgres ]; then
  login=assent_owner
  password="$(cat "$folder/database-password")"
  encryption=""
fi

manifests() {
  emit generic assent-keys \
    --from-file="$folder/AUTH_MASTER_KEY" --from-file="$folder/CLICK_MASTER_KEY" \
    --from-file="$folder/SIGN_MASTER_KEY" --from-file="$folder/WEBHOOKS_MASTER_KEY" \
    --from-file="$folder/ADMIN_TOKEN"
  emit generic assent-internal --from-file="$folder/INTERNAL_TOKEN_KEYS"
  emit generic assent-nats \
    --from-file="$folder/nats-url" --from-file="$folder/nats-authorization" --from-file="$folder/nats-routes"
  emit generic assent-seal --from-file="$folder/SEAL_KEY" --from-file="$folder/SEAL_CERTIFICATES"
  emit_login assent-database-owner \
    --from-literal=username=assent_owner --from-literal=password="$(cat "$folder/database-password")" \
    --from-literal=uri="postgres://assent_owner:$(cat "$folder/database-password")@$host:5432/assent$encryption"
  emit_login assent-database-login \
    --from-literal=username="$login" --from-literal=password="$password" \
    --from-literal=uri="postgres://$login:$password@$host:5432/assent$encryption"
}

if [ "${PRINT:-}" = 1 ]; then
  manifests
else
  # All of them are made before any is sent: a file that is missing must not leave half of them behind.
  made="$(manifests)"
  kubectl create namespace "$namespace" --dry-run=client --output yaml | kubectl apply --filename -
  printf '%s\n' "$made" | kubectl apply --filename -
fi
