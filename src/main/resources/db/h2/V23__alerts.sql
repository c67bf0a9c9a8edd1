-- Rules, silences: what people edit; the body is JSON, the version grows with each edit.
create table alert_rule (
    id           varchar(64) primary key,
    version      bigint not null,
    body         clob   not null,
    request_hash char(64),
    position     bigint generated always as identity
);

insert into alert_rule (id, version, body) values
    ('services', 1, '{"name":"Services","kind":"service","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":30,"repeatHours":4,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('source-silent', 1, '{"name":"A source is silent","kind":"source-silent","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":30,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('probe-loss', 1, '{"name":"A probe loses packets","kind":"probe-loss","states":[],"service":null,"needed":30,"ofSeconds":60,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":100.0,"receivers":[],"enabled":true}'),
    ('record-drops', 1, '{"name":"Records are dropped","kind":"record-drops","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":1.0,"receivers":[],"enabled":true}'),
    ('store-full', 1, '{"name":"The store''s disk is nearly full","kind":"store-full","states":[],"service":null,"needed":30,"ofSeconds":60,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":0.9,"receivers":[],"enabled":true}');

create table alert_silence (
    id           varchar(64) primary key,
    version      bigint not null,
    body         clob   not null,
    request_hash char(64),
    position     bigint generated always as identity
);

-- Every alert that fired, with the evidence of its newest step.
create table alert (
    id            varchar(64)  primary key,
    position      bigint generated always as identity,
    rule          varchar(64)  not null,
    rule_name     varchar(100) not null,
    kind          varchar(40)  not null,
    subject       varchar(300) not null,
    severity      varchar(20)  not null,
    state         varchar(40)  not null,
    since         timestamp(6) with time zone not null,
    fired_at      timestamp(6) with time zone not null,
    text          clob         not null,
    evidence      clob         not null,
    ended_at      timestamp(6) with time zone,
    end_reason    varchar(20),
    told_at       timestamp(6) with time zone,
    told_state    varchar(40),
    told_severity varchar(20),
    notices       int          not null,
    silenced_by   varchar(64)
);
create index alert_by_position on alert (position);
create index alert_by_end on alert (ended_at);
