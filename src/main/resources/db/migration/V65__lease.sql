-- The lease of the centre that judges. Used on PostgreSQL only, where several centres may share the control data.
create table lease (
    name varchar(20) not null primary key,
    epoch bigint not null,
    holder varchar(100) not null,
    address varchar(500) not null,
    secret varchar(100) not null,
    ends timestamp with time zone not null
);

insert into lease (name, epoch, holder, address, secret, ends) values ('judge', 0, '', '', '', timestamp with time zone '1970-01-01 00:00:00+00');
