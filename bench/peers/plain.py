"""Starlette, Strawberry and SQLAlchemy's ORM in their usual combination, with a data loader."""

from datetime import date, datetime
from uuid import UUID

import strawberry
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.dataloader import DataLoader

from bench.peers.serve import arguments, serve


class Base(DeclarativeBase):
    pass


class ClientRow(Base):
    __tablename__ = "clients"

    organization_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str]


class ProjectRow(Base):
    __tablename__ = "projects"

    organization_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(primary_key=True)
    client_id: Mapped[UUID | None]
    name: Mapped[str]
    code: Mapped[str | None]
    description: Mapped[str | None]
    status: Mapped[str]
    is_billable: Mapped[bool]
    currency: Mapped[str]
    start_date: Mapped[date | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]


class Context:
    """The GraphQL context of one request."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session
        self.clients: DataLoader[tuple[UUID, UUID], ClientRow | None] = DataLoader(self.load_clients)

    async def load_clients(self, keys: list[tuple[UUID, UUID]]) -> list[ClientRow | None]:
        query = select(ClientRow).where(
            ClientRow.organization_id == keys[0][0], ClientRow.id.in_([key[1] for key in keys])
        )
        options = {row.id: row for row in await self.session.scalars(query)}
        return [options.get(key[1]) for key in keys]


Info = strawberry.Info[Context, None]


@strawberry.type
class Client:
    id: UUID
    name: str


@strawberry.type
class Project:
    organization_id: strawberry.Private[UUID]
    client_id: strawberry.Private[UUID | None]
    id: UUID
    name: str
    code: str | None
    description: str | None
    status: str
    is_billable: bool
    currency: str
    start_date: date | None
    created_at: datetime
    updated_at: datetime

    @strawberry.field
    async def client(self, info: Info) -> Client | None:
        if self.client_id is None:
            return None
        row = await info.context.clients.load((self.organization_id, self.client_id))
        return Client(id=row.id, name=row.name) if row is not None else None


@strawberry.type
class Page:
    count: int
    results: list[Project]


@strawberry.type
class Query:
    @strawberry.field
    async def projects(self, info: Info, organization_id: UUID, limit: int, offset: int) -> Page:
        session = info.context.session
        conditions = (ProjectRow.organization_id == organization_id, ProjectRow.deleted_at.is_(None))
        count = await session.scalar(select(func.count()).select_from(ProjectRow).where(*conditions))
        order = (ProjectRow.created_at, ProjectRow.id)
        rows = await session.scalars(select(ProjectRow).where(*conditions).order_by(*order).limit(limit).offset(offset))
        return Page(count=count or 0, results=[project(row) for row in rows])


def project(row: ProjectRow) -> Project:
    return Project(
        organization_id=row.organization_id,
        client_id=row.client_id,
        id=row.id,
        name=row.name,
        code=row.code,
        description=row.description,
        status=row.status,
        is_billable=row.is_billable,
        currency=row.currency,
        start_date=row.start_date,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


class Endpoint(GraphQL[Context, None]):
    """GraphQL over HTTP, with a database session for each request."""

    def __init__(self, sessions: async_sessionmaker[AsyncSession]) -> None:
        super().__init__(strawberry.Schema(Query))
        self.sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self.sessions() as session:
            scope["session"] = session
            await super().__call__(scope, receive, send)

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Context:
        return Context(request.scope["session"])


def connect(url: str) -> AsyncEngine:
    return create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"), pool_size=8)


def application(engine: AsyncEngine) -> Starlette:
    endpoint = Endpoint(async_sessionmaker(engine, expire_on_commit=False))
    return Starlette(routes=[Route("/graphql", endpoint)])


if __name__ == "__main__":
    address, port = arguments()
    serve(application(connect(address)), port, lifespan=False)
