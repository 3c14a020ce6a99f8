#!/bin/sh
# Puts the forum's types, fields and indexes into development, and makes production's schema what development's is then.
#
#     TOKEN=fogadm_… sh set-up.sh http://127.0.0.1:8080
set -eu
server=${1:?Name the server, such as http://127.0.0.1:8080}
: "${TOKEN:?Set TOKEN to an administrator\'s token}"
json='Content-Type: application/json'
call() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
development() { path=$1; shift; call "$server$path?environment=development" "$@" > /dev/null; }

# Types come with records that have all their fields, and stay when these are deleted.
name="set-up $$"
photo=$(call "$server/assets?environment=development" -H 'Content-Type: image/png' --data-binary x |
    sed 's/^{"asset":\(.*\)}$/\1/')
post="{\"recordName\":\"$name\",\"action\":\"DELETE_SELF\"}"
development /records/Post -H "$json" -d "{\"recordName\":\"$name\",\"fields\":{\"thread\":\"\",\"threadFolded\":\"\",
    \"title\":\"\",\"text\":\"\",\"author\":\"\",\"image\":{\"value\":\"\",\"type\":\"BYTES\"},\"photo\":$photo}}"
development /records/Likes -H "$json" \
    -d "{\"recordName\":\"Likes of $name\",\"fields\":{\"thread\":\"\",\"threadFolded\":\"\",\"count\":0,\"post\":$post}}"
development /records/Like -H "$json" -d "{\"recordName\":\"Like of $name\",\"fields\":{\"post\":$post}}"
for fields in '"thread"' '"threadFolded"'; do
    development /schema/types/Post/indexes -H "$json" -d "{\"fields\":[$fields]}"
    development /schema/types/Likes/indexes -H "$json" -d "{\"fields\":[$fields,\"-count\"]}"
done
development /schema/types/Likes/indexes -H "$json" -d '{"fields":["-count"]}'
development "/records/Post/$(printf %s "$name" | sed 's/ /%20/g')" -X DELETE

call "$server/schema?environment=development" |
    call "$server/schema?environment=production" -X PUT -H "$json" --data-binary @- > /dev/null
echo "The forum is set up on $server."
