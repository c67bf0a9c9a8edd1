-- Changes that were carried out on a watched service; never altered, never deleted.
create table changes (
    id              bigint generated always as identity primary key,
    at              timestamp(6) with time zone not null,
    by_name         varchar(80)   not null,
    service         varchar(300)  not null,
    title           varchar(200)  not null,
    setting         varchar(200),
    before_value    varchar(2000),
    after_value     varchar(2000),
    advice_id       varchar(200),
    diagnosis_id    varchar(64),
    note            varchar(2000),
    idempotency_key varchar(280),  -- caller and key, so that callers cannot meet each other's keys
    request_hash    char(64),
    constraint changes_once unique (idempotency_key)
);

create index changes_by_service on changes (service, id);
