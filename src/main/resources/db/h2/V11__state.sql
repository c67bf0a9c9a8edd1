-- Every change of a service's state with the evidence of that moment; never altered.
create table state_transition (
    id         bigint generated always as identity primary key,
    service    varchar(300) not null,
    at_second  bigint       not null, -- seconds since the epoch
    from_state varchar(40)  not null,
    to_state   varchar(40)  not null,
    rule       varchar(100) not null,
    cause_en   varchar(1000) not null,
    cause_ja   varchar(1000) not null,
    evidence   clob         not null
);
create index state_transition_by_service on state_transition (service, id);

-- What is usual for a service, learnt while it was normal; milliseconds, null until known.
create table service_baseline (
    service  varchar(300) primary key,
    response double precision,
    transfer double precision,
    origin   double precision,
    lessons  int not null
);
