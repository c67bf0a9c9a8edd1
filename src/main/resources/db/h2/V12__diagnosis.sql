-- Kept runs of the flowchart, immutable: the whole answer as it was given.
create table kept_diagnosis (
    id       bigint generated always as identity primary key,
    service  varchar(300) not null,
    at       timestamp(6) with time zone not null,
    by_name  varchar(80)  not null,
    document clob         not null
);
create index kept_diagnosis_by_service on kept_diagnosis (service, id);
