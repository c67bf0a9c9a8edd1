-- Who is told: name, kind and address as JSON, with the secrets they need.
create table alert_receiver (
    id           varchar(64) primary key,
    version      bigint not null,
    body         clob   not null,
    request_hash char(64),
    position     bigint generated always as identity
);

-- One notice to one receiver; what is waiting is sent after a restart.
create table alert_delivery (
    id            varchar(64)  primary key,
    position      bigint generated always as identity,
    receiver      varchar(64)  not null,
    receiver_name varchar(100) not null,
    tell          varchar(20)  not null,
    subject       varchar(300) not null,
    notice        clob         not null,
    status        varchar(20)  not null, -- waiting, delivered, failed, dropped
    created_at    timestamp(6) with time zone not null,
    next_at       timestamp(6) with time zone,
    finished_at   timestamp(6) with time zone,
    attempts      int          not null,
    outcome       varchar(500)
);
create index alert_delivery_by_receiver on alert_delivery (receiver, position);
create index alert_delivery_by_status on alert_delivery (status, position);

create table alert_attempt (
    delivery  varchar(64)  not null references alert_delivery (id) on delete cascade,
    at        timestamp(6) with time zone not null,
    delivered boolean      not null,
    outcome   varchar(500) not null,
    millis    bigint       not null
);
create index alert_attempt_by_delivery on alert_attempt (delivery, at);
