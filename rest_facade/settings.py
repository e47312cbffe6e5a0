"""Settings, read once at start: ORGDATA_* environment variables, then the same names in a file `.env`."""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from db.errors import OperatorError
from db.reading.hosts.address import parse_address
from db.reading.hosts.hosts import MAX_LAG_SECONDS

PREFIX = "ORGDATA_"
ENV_FILE = ".env"
ENV_FILE_ENCODING = "utf-8-sig"
"""UTF-8, also with the mark that editors of Windows write at its beginning."""

MIN_KEY_LENGTH = 16

MEMORY = "memory"
"""The quota store in the memory of the process."""

STORE_URL = re.compile(r"rediss?(://[^/\s?#]+(/[0-9]{1,5})?|\+sentinel://[^/\s?#]+/[\w.-]+)", re.ASCII)
HTTP_URL = re.compile(r"https?://[^/\s?#]+(/[^\s?#]*)?")
ORIGIN_PATTERN = re.compile(r"https?://[^/\s?#]+")


OTHER_VARIABLES = {
    f"ORGDATA_{name}" for name in ("KEY", "URL", "TOKEN", "ORGANIZATION", "OWNER_PASSWORD", "SERVICE_PASSWORD")
}
"""Variables of the programs of docs/ and examples/, and of deploy/roles.sql: an operator's shell may have them, too."""


class Settings(BaseSettings):
    """All settings. docs/settings.md is made from their descriptions."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_file_encoding=ENV_FILE_ENCODING,
        extra="ignore",
        frozen=True,
        allow_inf_nan=False,
    )

    database_url: SecretStr | None = Field(
        None,
        description="PostgreSQL 15 or newer: postgresql://user:password@host/name, or libpq's key=value pairs; "
        "several hosts: host1:5432,host2:5432",
    )
    keys_database_url: SecretStr | None = Field(
        None,
        description="address of the primary where the other one is of replicas, in the same form: keys are "
        "looked up there while it answers",
    )
    host: str = Field("127.0.0.1", min_length=1, description="address of the public listener")
    port: int = Field(8000, ge=0, le=65535, description="port of the public listener")
    internal_host: str = Field("127.0.0.1", min_length=1, description="address of the internal listener")
    internal_port: int = Field(8001, ge=0, le=65535, description="port of the internal listener")
    public_url: str | None = Field(
        None, description="URL before /v1/ in `next` and `previous`; default: the listener's address"
    )
    public_docs: bool = Field(
        False, description="whether the public listener has the documentation at /docs/, and /openapi.json"
    )
    signing_keys: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        (), description="comma-separated secrets; the first signs page tokens and cursors, all of them verify"
    )
    screenshot_url: str | None = Field(
        None, description="https URL of the screenshot store; empty: screenshots have no URLs"
    )
    screenshot_key: SecretStr | None = Field(
        None, validate_default=True, description="secret shared with the screenshot store, signs the URLs"
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        ("*",), description="comma-separated origins whose pages may call the API; *: all"
    )
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        (), description="comma-separated networks of proxies whose X-Forwarded-For is trusted"
    )
    connections_per_address: int | None = Field(
        None, gt=0, description="connections of one address, proxies excepted; empty: half of those of a listener"
    )
    keep_alive: int = Field(
        5, gt=0, description="seconds after which an idle connection is closed; more than a proxy keeps one"
    )
    quota_limit: int = Field(30, gt=0, description="requests per window, organization and resource group")
    concurrency: int = Field(
        100, gt=0, description="requests of an organization that a worker answers at a time; 429 above"
    )
    quota_window: int = Field(60, gt=0, description="length of a quota window in seconds")
    quota_store: SecretStr = Field(
        SecretStr(MEMORY),
        description="where requests are counted: memory (one worker), or redis://host:port/0 (any number of workers), "
        "or redis+sentinel://host1:26379,host2:26379/name",
    )
    quota_store_grace: float = Field(
        0.0, ge=0, le=300, description="seconds of a store's outage in which each process counts by itself, before 503"
    )
    drain: float = Field(
        1.0, ge=0, description="seconds after SIGTERM in which /ready answers 503 and new requests are still served"
    )
    pool_size: int = Field(8, gt=0, description="maximum number of database connections of a worker, for REST")
    pool_tenant_share: float = Field(
        0.5, gt=0, le=1, description="share of the connections for one organization while others wait"
    )
    pool_wait: float = Field(
        2.0, gt=0, description="maximum seconds that a request waits while no database connection becomes free"
    )
    replica_max_lag: float = Field(
        MAX_LAG_SECONDS, gt=0, description="seconds that a replica may be behind before other hosts are used instead"
    )
    statement_timeout: float = Field(5.0, ge=0.001, le=3600, description="maximum seconds of an SQL statement")
    deadline: float = Field(8.0, gt=0, description="maximum seconds of a request")
    graphql_introspection: bool = Field(True, description="whether GraphQL answers introspection queries")
    graphql_trusted_documents_only: bool = Field(
        False, description="whether GraphQL refuses all documents but those of `orgdata documents`"
    )
    graphql_persisted_queries: bool = Field(
        True, description="whether GraphQL keeps documents by their hash (automatic persisted queries)"
    )
    graphql_quota: int = Field(60, gt=0, description="GraphQL operations per window and token")
    graphql_points: int | None = Field(
        None,
        gt=0,
        description="points of GraphQL operations, about one a row, per window and token; empty: the most rows of a "
        "document for each operation of ORGDATA_GRAPHQL_QUOTA",
    )
    graphql_pool_size: int = Field(
        3, gt=0, description="maximum number of database connections of a worker, for GraphQL"
    )
    graphql_deadline: float = Field(10.0, gt=0, description="maximum seconds of a GraphQL operation")
    request_log: float = Field(
        1.0, ge=0, le=1, description="share of requests that are logged, 0 to 1; failed ones (5xx) always are"
    )
    log_addresses: bool = Field(
        False, description="whether the log has whole addresses of clients whose key is refused, not their networks"
    )
    prepare_threshold: int | None = Field(
        0,
        ge=0,
        description="executions after which a statement is prepared; empty: never, for PgBouncer before 1.22, "
        "or without max_prepared_statements (1.24 has it by default)",
    )
    mcp_quota: int = Field(120, gt=0, description="MCP messages per window and key")
    public_mcp: bool = Field(
        False, description="whether the public listener has the MCP tools at /mcp, for agents elsewhere"
    )
    mcp_key: SecretStr | None = Field(None, description="key of purpose mcp that `orgdata mcp` uses")

    @field_validator("signing_keys", "cors_origins", "trusted_proxies", mode="before")
    @classmethod
    def _split_list(cls, value: Any) -> Any:
        return tuple(item.strip() for item in value.split(",") if item.strip()) if isinstance(value, str) else value

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_none(cls, value: Any, info: ValidationInfo) -> Any:
        """An empty text is None for a setting that may be None."""
        is_optional = NoneType in get_args(cls.model_fields[str(info.field_name)].annotation)
        return None if value == "" and is_optional else value

    @field_validator("public_url", "screenshot_url")
    @classmethod
    def _check_url(cls, value: str | None, info: ValidationInfo) -> str | None:
        schemes = ("https://",) if info.field_name == "screenshot_url" else ("http://", "https://")
        if value is not None and not (value.startswith(schemes) and HTTP_URL.fullmatch(value)):
            raise ValueError(f"should be an address that starts with {' or '.join(schemes)}")
        return value.rstrip("/") if value else None

    @field_validator("database_url", "keys_database_url")
    @classmethod
    def _check_database_url(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            parse_address(value.get_secret_value())
        return value

    @field_validator("cors_origins")
    @classmethod
    def _check_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if origin != "*" and not ORIGIN_PATTERN.fullmatch(origin):
                raise ValueError(f"{origin!r} should be * or an origin such as https://app.example.com")
        return value

    @field_validator("screenshot_key")
    @classmethod
    def _check_screenshot_key(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if info.data.get("screenshot_url") and value is None:
            raise ValueError(f"should be set together with {PREFIX}SCREENSHOT_URL")
        if value is not None and len(value.get_secret_value()) < MIN_KEY_LENGTH:
            raise ValueError(f"should have at least {MIN_KEY_LENGTH} characters")
        return value

    @field_validator("quota_store")
    @classmethod
    def _check_quota_store(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() != MEMORY and not STORE_URL.fullmatch(value.get_secret_value()):
            raise ValueError("should be memory, or an address such as redis://host:port/0")
        return value

    @field_validator("signing_keys")
    @classmethod
    def _check_signing_keys(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        if any(len(key.get_secret_value()) < MIN_KEY_LENGTH for key in value):
            raise ValueError(f"each should have at least {MIN_KEY_LENGTH} characters")
        return value


SECRETS = {
    PREFIX + name.upper(): name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)
}
"""The variables of secrets, and their settings."""

FILE_SUFFIX = "_FILE"
"""Behind the variable of a secret: the path of a file with its value, as container platforms mount secrets."""


def load(overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings of this process; `overrides` win over the environment. Raises OperatorError."""
    names = {PREFIX + name.upper() for name in Settings.model_fields}
    environment = {**_settings_in_file(), **os.environ}
    # The file may contain variables of other programs, too: only the prefix is checked.
    variables = [*environment, *(PREFIX + name.upper() for name in overrides or {})]
    known = {*names, *OTHER_VARIABLES, *(variable + FILE_SUFFIX for variable in SECRETS)}
    unknown = sorted(name for name in variables if name.upper().startswith(PREFIX) and name.upper() not in known)
    if unknown:
        nearest = get_close_matches(unknown[0].upper().removeprefix(PREFIX).lower(), Settings.model_fields, 1)
        hint = (
            f"Did you mean {PREFIX}{nearest[0].upper()}?" if nearest else f"Settings are: {', '.join(sorted(names))}."
        )
        raise OperatorError(f"{unknown[0]} is not a setting. {hint}")
    try:
        # Settings finds names in any case, too.
        in_files = _secrets_in_files({name.upper(): value for name, value in environment.items()})
        return Settings(**{**in_files, **(overrides or {})})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0]).upper().removeprefix(PREFIX)
        field = Settings.model_fields.get(name.lower())
        expected = f" Expected: {field.description}." if field is not None and field.description else ""
        raise OperatorError(f"{PREFIX}{name}: {first['msg'].removeprefix('Value error, ')}.{expected}") from None


def _settings_in_file() -> dict[str, str | None]:
    """The variables of ENV_FILE, if it exists. Raises OperatorError if it cannot be read."""
    try:
        return dotenv_values(ENV_FILE, encoding=ENV_FILE_ENCODING)
    except OSError as error:
        raise OperatorError(f"{ENV_FILE} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise OperatorError(f"{ENV_FILE} is no text in UTF-8.") from None


def _secrets_in_files(environment: Mapping[str, str | None]) -> dict[str, str]:
    """The secrets whose variables name files. Raises OperatorError for one that is set twice or cannot be read."""
    found: dict[str, str] = {}
    for variable, name in SECRETS.items():
        if not (path := environment.get(variable + FILE_SUFFIX)):
            continue
        if environment.get(variable):
            raise OperatorError(f"{variable} and {variable}{FILE_SUFFIX} are both set: remove one of them.")
        try:
            found[name] = Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise OperatorError(f"{variable}{FILE_SUFFIX}: {path} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise OperatorError(f"{variable}{FILE_SUFFIX}: {path} is no text in UTF-8.") from None
    return found


def require_settings(settings: Settings, name: str) -> Any:
    """The value of a setting that a command requires. Raises OperatorError when it is not set."""
    value = getattr(settings, name)
    if not value:
        description = Settings.model_fields[name].description
        raise OperatorError(f"{PREFIX}{name.upper()} is not set. Expected: {description}.")
    return value
