-- One-time passwords expire; sessions have the origin that their list shows and the time of the last password check.
alter table users add column one_time_until timestamp(6) with time zone;
update users set one_time_until = dateadd(day, 1, current_timestamp) where must_change_password;

alter table sessions add column address varchar(64);
alter table sessions add column agent varchar(200);
alter table sessions add column confirmed timestamp(6) with time zone; -- null: not since the session began

-- Keys of signatures that only this service checks.
create table signing_key (
    name   varchar(32) primary key,
    secret varchar(64) not null
);
