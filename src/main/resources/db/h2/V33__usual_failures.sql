-- What is usual besides times: the share of requests that fail, and the number of processes; null until known.
alter table service_baseline add column failures double precision;
alter table service_baseline add column processes double precision;
