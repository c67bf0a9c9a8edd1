-- Runs that verify a change: written down with their plan when they begin, ended once, never altered afterwards.
create table verification (
    id            bigint generated always as identity primary key,
    service       varchar(300) not null,
    change_id     bigint       not null,
    by_name       varchar(80)  not null,
    started       timestamp(6) with time zone not null,
    changed       bigint       not null, -- this and the next four: seconds since the epoch
    baseline_from bigint       not null,
    baseline_to   bigint       not null,
    after_from    bigint       not null,
    after_to      bigint       not null,
    state_before  varchar(40)  not null,
    diagnosis     clob,                  -- what the flowchart said when the change was made
    finished      timestamp(6) with time zone,
    verdict       varchar(20),
    reason        varchar(40),
    result        clob
);
create index verification_by_service on verification (service, id);
create index verification_open on verification (finished);

-- A change that an order of ours made.
alter table changes add column order_id bigint;
