-- The token or user that named a service or a source first: quotas count by it, also after a restart.
alter table watched_service add column credential varchar(200);
alter table telemetry_source add column credential varchar(200);
create index watched_service_last_seen on watched_service (last_seen);

insert into alert_rule (id, version, body) values
    ('quota', 1, '{"name":"A limit of the fleet is reached","kind":"quota","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}');
