-- The hash chain of the audit log: each row has a number without gaps and a hash over its number, the hash before and its
-- contents. Rows of earlier versions get both at the first start (AuditLog).
alter table audit add column sequence bigint;
alter table audit add column hash char(64);
alter table audit add column attempts int default 1 not null; -- refused attempts that this row stands for
create unique index audit_by_sequence on audit (sequence);
create index audit_by_outcome on audit (outcome, at);

-- One row: number and hash of the newest entry. Locked while an entry is written.
create table audit_chain (
    one      int      primary key check (one = 1),
    sequence bigint   not null,
    hash     char(64) not null
);
insert into audit_chain (one, sequence, hash) values (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

-- How far each receiver outside has the log.
create table audit_sent (
    sink     varchar(20) primary key,
    sequence bigint      not null
);
