-- Logins whose password was right and that wait for the code of the second factor.
create table pending_login (
    key_hash  char(64)    primary key, -- SHA-256 of the cookie's secret
    user_name varchar(32) not null references users (name) on delete cascade,
    created   timestamp(6) with time zone not null,
    attempts  int         not null -- codes that were given
);
