-- The second factor of users (RFC 6238) and their recovery codes. Secrets are encrypted, recovery codes are kept as hashes only.
create table second_factor (
    user_name  varchar(32) primary key references users (name) on delete cascade,
    secret     varchar(200), -- null: not set up yet
    since      timestamp(6) with time zone,
    last_step  bigint       not null, -- newest time step of a used code; codes up to it are refused
    wrong      int          not null, -- wrong codes since the last right one
    offered    varchar(200), -- secret that waits for its first code
    offered_at timestamp(6) with time zone
);

create table recovery_code (
    user_name varchar(32) not null references users (name) on delete cascade,
    hash      char(64)    not null, -- SHA-256 of name and code
    primary key (user_name, hash)
);
