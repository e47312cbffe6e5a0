"""Data as of: the moment up to which a transaction sees every change.

A change that was committed on the primary before this moment is visible in the transaction. Changes that are committed
later may be missing, although their `updated_at`, which is the time of the change, can be a little earlier.
"""

from datetime import UTC, datetime

# A primary sees every commit before the start of the transaction. So does a replica that has replayed what it received
# while it receives: a replica without a WAL receiver may have missed any number of changes since it replayed the last
# one, and `pg_last_wal_receive_lsn` does not show that. The position that was received last is behind the one that was
# replayed while a replica that was restarted receives a segment of WAL again. Otherwise the last replayed commit is the
# last that is certain to be visible; a replica that is restarted has none before it replays one.
#
# A replica learns only after wal_receiver_timeout that its network to the primary hangs. So the time of the last
# message counts, once it is older than MAX_SILENCE: an idle primary sends one in half of wal_receiver_timeout. Only
# members of pg_read_all_stats see that time; for others it is null, and IS_BLIND says so.
MAX_SILENCE = 15
"""Seconds without a message of the primary, for which a replica that replayed everything counts as up to date."""

_LAST_MESSAGE = "(pg_stat_get_wal_receiver()).last_msg_receipt_time"

DATA_AS_OF = f"""
CASE
  WHEN NOT pg_is_in_recovery() THEN now()
  WHEN (pg_stat_get_wal_receiver()).pid IS NOT NULL AND pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn()
  THEN CASE WHEN {_LAST_MESSAGE} < now() - interval '{MAX_SILENCE} s' THEN {_LAST_MESSAGE} ELSE now() END
  ELSE pg_last_xact_replay_timestamp()
END
"""
"""SQL of the moment, on any server; null if it is not known."""

DATA_AS_OF_ON_PRIMARY = "now()"
"""The same for a primary: on a replica it takes four functions."""

LAG_SECONDS = f"coalesce(extract(epoch FROM now() - {DATA_AS_OF})::float8, 'infinity')"
"""SQL of the seconds by which a server is behind: 0 on a primary, infinity if they are not known."""

IS_BLIND = f"""
pg_is_in_recovery()
AND NOT coalesce(pg_has_role(to_regrole('orgdata_service'), 'pg_read_all_stats', 'usage'), false)
AND (SELECT setting::int NOT BETWEEN 1 AND {MAX_SILENCE * 1000} FROM pg_settings WHERE name = 'wal_receiver_timeout')
"""
"""SQL: whether a replica whose network to its primary hangs counts as up to date for more than MAX_SILENCE seconds."""

BLIND = (
    f"notices a network to its primary that hangs only after wal_receiver_timeout: set that to {MAX_SILENCE}s, or"
    " GRANT pg_read_all_stats TO orgdata_service"
)

UNKNOWN = datetime.min.replace(tzinfo=UTC)
"""The moment of a transaction that may lack any change: earlier than all others."""
