-- What happened in clusters of organizers; what several members told of the same is one row.
create table cluster_event (
    id      bigint generated always as identity primary key,
    cluster varchar(63)   not null,
    at      timestamp(6) with time zone not null,
    kind    varchar(40)   not null,
    member  varchar(80),
    text    varchar(500)  not null,
    seen_by varchar(4000) not null   -- names, divided by blanks
);
create index cluster_event_by_cluster on cluster_event (cluster, id);
create index cluster_event_by_time on cluster_event (at);

insert into alert_rule (id, version, body) values
    ('cluster-parted', 1, '{"name":"A cluster is parted","kind":"cluster-parted","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":30,"repeatHours":4,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('cluster-conflict', 1, '{"name":"Members claim one prefix for different contents","kind":"cluster-conflict","states":[],"service":null,"needed":5,"ofSeconds":5,"clearSeconds":30,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('member-flapping', 1, '{"name":"A member comes and goes","kind":"member-flapping","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":60,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}');
