-- Thresholds of the state model set for one service in place of the rule book's.
create table threshold_override (
    service  varchar(300)  not null,
    rule     varchar(100)  not null,
    measure  varchar(100)  not null,
    threshold double precision not null,
    reason   varchar(500)  not null,
    set_by   varchar(80)   not null,
    set_at   timestamp(6) with time zone not null,
    primary key (service, rule, measure)
);
