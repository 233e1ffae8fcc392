#!/usr/bin/env bash
# Replaces a key that no stack keeps. If a step fails, run the same command again: it continues where it stopped.
#
#   [OLD_KEY=…] replace-key.sh github|aws|vault|kubernetes SECRET COMMAND…
#
# COMMAND makes the consumers use the new key, and waits until they do. Then the key in OLD_KEY, if it is set, is deleted.
set -euo pipefail
umask 077

store=$1 secret=$2
shift 2
folder=${KEY_FOLDER:-$HOME/.partner-keys}/$secret # Holds both keys until the end.
response=$folder/response.json new=$folder/new old=$folder/old

put() {
  case $store in
    github) gh secret set "$secret" < "$new" ;;
    aws) aws secretsmanager put-secret-value --secret-id "$secret" --secret-string "file://$new" ;;
    vault) vault kv put -mount=secret "$secret" "key=@$new" ;;
    kubernetes) kubectl create secret generic "$secret" --from-file="key=$new" --dry-run=client -o yaml | kubectl apply --server-side -f - ;;
  esac
}

case $store in github | aws | vault | kubernetes) ;; *) echo "Unknown store: $store" >&2 && exit 2 ;; esac
[ $# -gt 0 ] || { echo "The command that switches the consumers is missing." >&2 && exit 2; }

if [ ! -e "$response" ]; then
  mkdir -p "$folder"
  printf %s "${OLD_KEY:-}" > "$old"
  set -o noclobber # Of two runs at the same time, only one creates a key.
  pulumi do partners:PartnerApiKey create --stateless --yes --show-secrets --output json > "$response"
  set +o noclobber
fi
sed -n 's/^  "apiKey": "\(.*\)",$/\1/p' "$response" | tr -d '\n' > "$new"
if [ ! -s "$new" ]; then
  echo "$response does not contain a key. Look for a new key at the service, delete it, and remove the file." >&2
  exit 1
fi
if [ "$(< "$new")" = "$(< "$old")" ]; then
  echo "The service returned the old key again, so it was not replaced, and nothing was stored or deleted. Remove $folder." >&2
  exit 1
fi
put
"$@"
OLD_KEY=$(cat "$old")
export OLD_KEY
[ -z "$OLD_KEY" ] || pulumi do partners:PartnerApiKey delete env:OLD_KEY --stateless --yes
rm "$old" "$new" "$response" # In this order: without the response, the next run would create a key.
rmdir "$folder"
