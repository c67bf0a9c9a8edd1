-- A service's load by the hour, kept after the telemetry it was counted from is deleted; hours nobody heard have no row.
create table capacity_hours (
    service    varchar(300)     not null,
    epoch_hour bigint           not null,  -- hours since the epoch, UTC
    mean_rate  double precision not null,  -- requests a second
    peak_rate  double precision not null,  -- of the busiest minute
    minutes    integer          not null,  -- heard
    primary key (service, epoch_hour)
);
