-- Who may do what, and who did it. Secrets are kept as hashes only. Instants are UTC.
create table users (
    name                 varchar(32)  primary key,
    role                 varchar(16)  not null,
    password_hash        varchar(100) not null,
    must_change_password boolean      not null,
    last_login           timestamp(6) with time zone
);

create table sessions (
    key_hash   char(64)     primary key, -- SHA-256 of the cookie's secret
    user_name  varchar(32)  not null references users (name) on delete cascade,
    csrf_token varchar(64)  not null,
    created    timestamp(6) with time zone not null,
    last_used  timestamp(6) with time zone not null
);

create table tokens (
    id         varchar(16)  primary key, -- also the part of the secret that may be shown
    name       varchar(64)  not null,
    hash       char(64)     not null unique, -- SHA-256 of the whole secret
    scopes     varchar(200) not null,        -- separated by spaces
    created    timestamp(6) with time zone not null,
    created_by varchar(80)  not null,
    expires    timestamp(6) with time zone not null,
    last_used  timestamp(6) with time zone
);

create table audit (
    id      bigint generated always as identity primary key,
    at      timestamp(6) with time zone not null,
    actor   varchar(80)  not null,
    action  varchar(40)  not null,
    subject varchar(200),
    outcome varchar(20)  not null,
    address varchar(64),
    agent   varchar(200),
    before  varchar(2000),
    after   varchar(2000)
);
