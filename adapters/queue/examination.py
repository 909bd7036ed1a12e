"""What `governor doctor` asks a Redis-protocol server."""

from __future__ import annotations

from dataclasses import dataclass

from redis.exceptions import RedisError

from adapters.queue.doorbell import connect
from governor.domain.errors import Unavailable


@dataclass(frozen=True)
class QueueFacts:
    """A server as it is now. `version` is the Redis version whose protocol it speaks, as (7, 2, 4)."""

    version: tuple[int, ...]
    server: str
    eviction: str
    append_only: bool


def queue_facts(redis_url: str) -> QueueFacts:
    """Everything at once.

    Raises:
        Unavailable: `queue_unavailable`.
    """
    connection = connect(redis_url)
    try:
        info = connection.info()
    except (RedisError, ValueError) as error:
        raise Unavailable("queue_unavailable", "The queue cannot be reached.") from error
    finally:
        connection.close()
    return QueueFacts(
        version=tuple(int(part) for part in str(info["redis_version"]).split(".")),
        server=str(info.get("server_name", "redis")),
        eviction=str(info.get("maxmemory_policy", "unknown")),
        append_only=bool(info.get("aof_enabled")),
    )
