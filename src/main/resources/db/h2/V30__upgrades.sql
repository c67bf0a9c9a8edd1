-- Which recorded changes were upgrades, what they cost, and what the server carried before (requests a second).
create table capacity_upgrades (
    change_id   bigint primary key references changes (id),
    cost        decimal(18, 2),
    currency    varchar(12),
    marked_by   varchar(80) not null,
    knee_rate   double precision,
    knee_low    double precision,
    knee_high   double precision,
    knee_by     varchar(20),
    knee_beyond boolean
);
