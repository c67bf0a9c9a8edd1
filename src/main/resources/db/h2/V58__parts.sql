-- One-time codes with which parts enrol. Kinds and networks are divided by spaces; no networks: those that the part names.
create table enrolment_codes (
    id         varchar(16)  primary key,
    hash       char(64)     not null unique, -- SHA-256 of the secret
    kinds      varchar(100) not null,
    node       varchar(255),
    networks   varchar(2000) not null,
    uses       int          not null,
    used       int          not null,
    created    timestamp(6) with time zone not null,
    created_by varchar(80)  not null,
    expires    timestamp(6) with time zone not null
);

-- Agents, probes, proxies and organizers with a certificate of their own.
create table parts (
    id            varchar(36)  primary key,
    kind          varchar(16)  not null,
    source        varchar(1024) not null,
    node          varchar(255),
    networks      varchar(2000) not null,
    code          varchar(16)  not null,
    enrolled      timestamp(6) with time zone not null,
    enrolled_by   varchar(80)  not null,
    key_hash      char(64)     not null, -- SHA-256 of the newest public key
    serial        varchar(40)  not null, -- of the newest certificate, hexadecimal
    issued        timestamp(6) with time zone not null,
    ends          timestamp(6) with time zone not null,
    serial_used   timestamp(6) with time zone, -- first use of the newest certificate
    former_serial varchar(40),
    last_seen     timestamp(6) with time zone,
    last_address  varchar(64),
    revoked       timestamp(6) with time zone,
    revoked_by    varchar(100)
);
create index parts_source on parts (source);

-- Tokens that may report in every name are of earlier builds; they work for 90 more days.
update tokens set expires = least(expires, current_timestamp + interval '90' day)
    where source is null and (' ' || scopes || ' ') like '% ingest %';
