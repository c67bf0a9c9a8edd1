-- Labels of services. Reported ones are JSON text, as settings are.
alter table watched_service add column labels clob;

-- Labels that users set for one service.
create table service_label (
    service     varchar(300) not null,
    label_key   varchar(63)  not null,
    label_value varchar(63)  not null,
    set_by      varchar(80)  not null,
    set_at      timestamp(6) with time zone not null,
    primary key (service, label_key)
);

-- Rules that give a label to services by pattern; of several for one key the oldest counts.
create table label_rule (
    id          bigint generated always as identity primary key,
    service     varchar(300),
    node        varchar(300),
    kind        varchar(40),
    label_key   varchar(63)  not null,
    label_value varchar(63)  not null,
    set_by      varchar(80)  not null,
    set_at      timestamp(6) with time zone not null
);
