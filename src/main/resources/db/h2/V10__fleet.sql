-- What the fleet remembers over a restart: servers and sources. Lists are JSON text.
create table watched_service (
    id          varchar(300) primary key,
    node        varchar(255),
    name        varchar(300) not null,
    kind        varchar(40)  not null,
    version     varchar(200),
    addresses   clob         not null,
    process_id  bigint,
    program     varchar(1000),
    settings    clob         not null,
    reported_by clob         not null,
    first_seen  bigint       not null, -- microseconds since the epoch, as all instants here
    last_seen   bigint       not null
);

create table telemetry_source (
    name      varchar(300) primary key,
    status    clob   not null,
    last_seen bigint not null
);
