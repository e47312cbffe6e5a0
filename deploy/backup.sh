#!/bin/sh
# Backups from which any point in time can be restored, with the programs of PostgreSQL alone, run as its user.
#   backup.sh stream CONNINFO FOLDER          archive the write-ahead log as it is written: a service that restarts
#   backup.sh base CONNINFO FOLDER            a base backup: each night
#   backup.sh restore FOLDER DATA [TIME]      the data folder of a server that replays the log, up to TIME, and is then
#                                             a primary: start PostgreSQL of the same version on it
# FOLDER is on another machine. CONNINFO is that of a role with REPLICATION. Delete old backups yourself, and with
# pg_archivecleanup the log that is older than the oldest backup left.
set -eu
command=$1
case $command in
stream)
    mkdir -p "$3/log"
    # The slot keeps log that is not archived yet: a stream that stays away fills the disk of the primary.
    pg_receivewal --dbname="$2" --slot=orgdata_backup --create-slot --if-not-exists
    exec pg_receivewal --dbname="$2" --slot=orgdata_backup --directory="$3/log" --synchronous
    ;;
base)
    mkdir -p "$3/base"
    new="$3/base/$(date -u +%Y%m%dT%H%M%SZ)"
    pg_basebackup --dbname="$2" --pgdata="$new.part" --checkpoint=fast --wal-method=stream
    mv "$new.part" "$new"
    ;;
restore)
    log=$(cd "$2/log" && pwd)
    newest=$(find "$2/base" -mindepth 1 -maxdepth 1 -type d ! -name "*.part" | sort | tail -n 1)
    mkdir -m 0700 "$3"
    cp -a "$newest/." "$3"
    chmod 0700 "$3"
    rm -f "$3/standby.signal" "$3/postmaster.pid"
    touch "$3/recovery.signal"
    {
        # The last segment was still being written.
        echo "restore_command = 'cp \"$log/%f\" \"%p\" || cp \"$log/%f.partial\" \"%p\"'"
        echo "recovery_target_action = 'promote'"
        if [ $# -gt 3 ]; then echo "recovery_target_time = '$4'"; fi
    } >>"$3/postgresql.auto.conf"
    ;;
*)
    sed -n '2,9s/^# //p' "$0" >&2
    exit 2
    ;;
esac
