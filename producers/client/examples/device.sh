#!/usr/bin/env bash
# A device in bash and curl, for prototypes: events on standard input, a JSON object a line, with
# "kind" first and that kind's fields. It does what producers/client does, with a file an event:
# boot on disk, at most 64 lines a request, nothing forgotten without an answer, nothing reordered.
#
#   GATEWAY=https://gateway:7301 TABLE=CS-01 SOURCE=shoe FOLDER=/var/lib/shoe ./device.sh < events
#
# AUTHORIZATION names a file with the line "Authorization: Bearer TOKEN"; CURL_OPTIONS may have
# --cacert, --cert and --key.
set -euo pipefail
: "${GATEWAY:?}" "${TABLE:?}" "${SOURCE:?}" "${FOLDER:?}"

readonly MOST_LINES=64 MOST_WAITING=100000 LONGEST_LINE=16384
export LC_ALL=C # a line's length is one in bytes
umask 077 # cards that lie face down stand in these files
mkdir -p "$FOLDER/queue"
exec 9>"$FOLDER/lock" # commands that take time are started without it: a kill leaves them behind
flock --nonblock 9 || { echo "$FOLDER: another process has it" >&2; exit 2; }

# Put a text in a file, whole or not at all, and on the disk.
write() {
    printf '%s\n' "$2" >"$1.new"
    sync "$1.new"
    mv "$1.new" "$1"
    sync "$(dirname "$1")"
}

# Count an event that is dropped: its reason, and the line.
drop() {
    printf '%s %s\n' "$1" "$2" >>"$FOLDER/dropped"
    echo "dropped: $1" >&2
}

# The boot is higher than all before it: by the file, and where that is lost by the clock.
last=$(cat "$FOLDER/boot" 2>/dev/null || echo 0)
[[ $last =~ ^[0-9]{1,15}$ ]] || last=0
boot=$((10#$last + 1)) now=$(date +%s)
((boot > now)) || boot=$now
write "$FOLDER/boot" "$boot"
seq=0

# Put an event on the disk. Its number is used up though it is dropped: the judge sees the gap.
record() {
    local at line name
    seq=$((seq + 1))
    at=$(date --utc +%Y-%m-%dT%H:%M:%S.%6NZ)
    printf -v line '{"table":"%s","source":"%s","boot":%d,"seq":%d,"at":"%s",%s' \
        "$TABLE" "$SOURCE" "$boot" "$seq" "$at" "${1#\{}"
    printf -v name '%016d-%016d' "$boot" "$seq"
    if ((${#line} > LONGEST_LINE)); then
        drop too_long "$line"
    elif (($(ls "$FOLDER/queue" | wc -l) >= MOST_WAITING)); then
        drop queue_full "$line"
    else
        write "$FOLDER/queue/$name" "$line"
    fi
}

# Send what is on the disk, oldest first, until all of it has its answer.
send() {
    local pause=0.2 most=$MOST_LINES status wait files
    while :; do
        rm -f "$FOLDER"/queue/*.new
        mapfile -t files < <(find "$FOLDER/queue" -type f | sort | head -n "$most")
        ((${#files[@]})) || return 0
        cat "${files[@]}" >"$FOLDER/request"
        rm -f "$FOLDER/answer" "$FOLDER/headers" # where none comes, those before say nothing
        status=$(exec 9>&-; curl --silent --max-time 70 --output "$FOLDER/answer" \
            --dump-header "$FOLDER/headers" --write-out '%{http_code}' \
            --header 'Content-Type: application/x-ndjson' --header 'Expect:' \
            ${AUTHORIZATION:+--header "@$AUTHORIZATION"} ${CURL_OPTIONS:-} \
            --data-binary "@$FOLDER/request" "$GATEWAY/v1/events") || status=000
        wait=$(sed -n 's/^retry-after: *\([0-9]\{1,3\}\)\r*$/\1/Ip' "$FOLDER/headers" 2>/dev/null) || wait=
        case $status in
        202 | 400)
            if ! grep --quiet '"accepted":' "$FOLDER/answer"; then
                sleep 30 9>&- # no gateway's answer: the address is wrong, or a proxy is ill
                continue
            fi
            if [[ $status == 400 ]]; then # refused lines are never sent again unchanged
                cat "$FOLDER/request" "$FOLDER/answer" >>"$FOLDER/refused"
                echo "refused: $(cat "$FOLDER/answer")" >&2
            fi
            rm "${files[@]}"
            pause=0.2 most=$MOST_LINES
            ;;
        413)
            if ((${#files[@]} > 1)); then
                most=$((${#files[@]} / 2))
            else
                drop too_long "$(cat "${files[0]}")"
                rm "${files[0]}"
                most=$MOST_LINES
            fi
            ;;
        000 | 408 | 429 | 5??)
            [[ $wait =~ [1-9] ]] || wait=$pause # to come back in no time would be for ever
            sleep "$wait" 9>&-
            pause=$(awk "BEGIN { p = 2 * $pause; print p < 30 ? p : 30 }")
            ;;
        *) # 401, 403: the gateway does not know this device; else the address is wrong
            echo "waiting: status $status" >&2
            sleep 30 9>&-
            ;;
        esac
    done
}

send
while IFS= read -r fields || [[ -n $fields ]]; do # the last line may have no end
    [[ $fields =~ [^[:space:]] ]] || continue
    record "$fields"
    # What has gathered goes together; a device would rather send beside recording.
    read -r -t 0 || send
done
send
