-- The usual round trip of data to the clients; null until known.
alter table service_baseline add column client_round_trip double precision;
