#!/usr/bin/env bash
# Imports the Debian package index into a running server, 200 packages a request, with nothing but curl.
#
#   Tests/bench/import-debian.sh [URL]        URL defaults to http://127.0.0.1:8080
#
# Writes as the session or key in $FOGBASE_TOKEN; without one it signs up a user. `forceReplace` lets it run again.
set -euo pipefail
url=${1:-http://127.0.0.1:8080}

token=${FOGBASE_TOKEN:-}
if [ -z "$token" ]; then
    user="importer-$(date +%s)-$$" password=$(head -c 24 /dev/urandom | base64)
    token=$(curl -sS --fail-with-body -H 'Content-Type: application/json' \
        -d "{\"name\":\"$user\",\"password\":\"$password\"}" "$url/users" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["token"])')
fi

# One line of JSON per batch.
batches() {
    apt-cache dumpavail | python3 -c '
import json, re, sys
batch, seen = [], set()
def send():
    if batch: print(json.dumps({"operations": batch}))
    batch.clear()
for paragraph in sys.stdin.read().split("\n\n"):
    values = dict(re.findall(r"^([\w-]+): *(.*(?:\n[ \t].*)*)", paragraph, re.M))
    name = values.get("Package")
    if not name or name in seen: continue
    seen.add(name)
    keys = ("Package", "Version", "Section", "Maintainer", "Description")
    fields = {key.lower(): values[key] for key in keys if values.get(key)}
    if values.get("Installed-Size", "").isdigit(): fields["installedSize"] = int(values["Installed-Size"])
    if values.get("Depends"): fields["dependencies"] = [one.strip() for one in values["Depends"].split(",")]
    record = {"recordType": "Package", "recordName": name, "fields": fields}
    batch.append({"operationType": "forceReplace", "record": record})
    if len(batch) == 200: send()
send()'
}

count=0
while IFS= read -r batch; do
    answer=$(curl -sS --fail-with-body -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
        --data-binary @- "$url/records" <<<"$batch")
    # A batch answers 200 even where its operations fail.
    if [[ $answer == *'"serverErrorCode"'* ]]; then
        echo "${answer:0:600}" >&2
        exit 1
    fi
    count=$((count + 1))
    printf '\r%d batches' "$count" >&2
done < <(batches)
if [ "$count" -eq 0 ]; then
    echo "apt-cache has no package index here: apt-get update fetches one." >&2
    exit 1
fi
echo >&2
