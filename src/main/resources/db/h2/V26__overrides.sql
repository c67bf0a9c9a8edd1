-- Answers of people in place of measured ones; of a service's decision the newest that has not ended counts.
create table decision_override (
    id       bigint generated always as identity primary key,
    service  varchar(300)  not null,
    node     varchar(80)   not null,
    verdict  varchar(8)    not null,
    reason   varchar(2000) not null,
    by_name  varchar(80)   not null,
    at       timestamp(6) with time zone not null,
    until_at timestamp(6) with time zone not null,
    ended_at timestamp(6) with time zone,
    ended_by varchar(80)
);
create index decision_override_by_service on decision_override (service, node);
