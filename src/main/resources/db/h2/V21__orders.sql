-- Orders for agents: written when they are given, ended by their outcome.
create table orders (
    id              bigint generated always as identity primary key,
    code            char(32)      not null,
    at              timestamp(6) with time zone not null,
    expires         timestamp(6) with time zone not null,
    by_name         varchar(80)   not null,
    node            varchar(200)  not null,
    source          varchar(200)  not null,
    service         varchar(300)  not null,
    title           varchar(200)  not null,
    setting         varchar(200)  not null,
    before_value    varchar(2000) not null,
    after_value     varchar(2000) not null,
    advice_id       varchar(200),
    diagnosis_id    varchar(64),
    note            varchar(2000),
    consequence     varchar(10)   not null,
    rollback_of     bigint,
    signed          varchar(4096) not null,
    state           varchar(10)   not null,
    reason          varchar(40),
    detail          varchar(2000),
    file            varchar(1000),
    restored        boolean       not null,
    begun           timestamp(6) with time zone,
    ended           timestamp(6) with time zone,
    change_id       bigint,
    idempotency_key varchar(280),
    request_hash    char(64),
    constraint orders_code unique (code),
    constraint orders_once unique (idempotency_key)
);
create index orders_by_service on orders (service, id);
create index orders_open on orders (state);

-- When work on a change began, where an agent's own clock told: what it took (a restart) belongs to neither side.
alter table changes add column begun timestamp(6) with time zone;
