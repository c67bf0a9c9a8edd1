-- The schema of PostgreSQL as of number 64: the sum of the migrations in db/h2, whose comments tell the reasons. A test compares
-- both schemas. Two types differ: clob is text here, and char(n) is varchar(n), because PostgreSQL pads char and compares it slowly.
-- Later migrations are in db/migration, one text for both databases.

create table users (
    name                 varchar(64)  primary key,
    role                 varchar(16)  not null,
    password_hash        varchar(100),
    must_change_password boolean      not null,
    last_login           timestamp(6) with time zone,
    one_time_until       timestamp(6) with time zone,
    service_group        varchar(700),
    external_issuer      varchar(500),
    external_subject     varchar(255),
    constraint users_password_or_provider check ((external_issuer is null) = (password_hash is not null)),
    constraint users_provider_subject check ((external_issuer is null) = (external_subject is null)),
    constraint users_one_identity unique (external_issuer, external_subject)
);

create table sessions (
    key_hash         varchar(64) primary key,
    user_name        varchar(64) not null references users (name) on delete cascade,
    csrf_token       varchar(64) not null,
    created          timestamp(6) with time zone not null,
    last_used        timestamp(6) with time zone not null,
    address          varchar(64),
    agent            varchar(200),
    confirmed        timestamp(6) with time zone,
    provider_session varchar(255)
);

create table tokens (
    id            varchar(16)  primary key,
    name          varchar(64)  not null,
    hash          varchar(64)  not null unique,
    scopes        varchar(200) not null,
    created       timestamp(6) with time zone not null,
    created_by    varchar(80)  not null,
    expires       timestamp(6) with time zone not null,
    last_used     timestamp(6) with time zone,
    service_group varchar(700),
    source        varchar(1024),
    node          varchar(255),
    networks      varchar(2000)
);

create table signing_key (
    name   varchar(32) primary key,
    secret varchar(64) not null
);

create table logout_token (
    id_hash varchar(64) primary key,
    until   timestamp(6) with time zone not null
);

create table second_factor (
    user_name  varchar(32) primary key references users (name) on delete cascade,
    secret     varchar(200),
    since      timestamp(6) with time zone,
    last_step  bigint      not null,
    wrong      int         not null,
    offered    varchar(200),
    offered_at timestamp(6) with time zone
);

create table recovery_code (
    user_name varchar(32) not null references users (name) on delete cascade,
    hash      varchar(64) not null,
    primary key (user_name, hash)
);

create table pending_login (
    key_hash  varchar(64) primary key,
    user_name varchar(32) not null references users (name) on delete cascade,
    created   timestamp(6) with time zone not null,
    attempts  int         not null
);

create table enrolment_codes (
    id         varchar(16)   primary key,
    hash       varchar(64)   not null unique,
    kinds      varchar(100)  not null,
    node       varchar(255),
    networks   varchar(2000) not null,
    uses       int           not null,
    used       int           not null,
    created    timestamp(6) with time zone not null,
    created_by varchar(80)   not null,
    expires    timestamp(6) with time zone not null
);

create table parts (
    id            varchar(36)   primary key,
    kind          varchar(16)   not null,
    source        varchar(1024) not null,
    node          varchar(255),
    networks      varchar(2000) not null,
    code          varchar(16)   not null,
    enrolled      timestamp(6) with time zone not null,
    enrolled_by   varchar(80)   not null,
    key_hash      varchar(64)   not null,
    serial        varchar(40)   not null,
    issued        timestamp(6) with time zone not null,
    ends          timestamp(6) with time zone not null,
    serial_used   timestamp(6) with time zone,
    former_serial varchar(40),
    last_seen     timestamp(6) with time zone,
    last_address  varchar(64),
    revoked       timestamp(6) with time zone,
    revoked_by    varchar(100)
);
create index parts_source on parts (source);

create table audit (
    id       bigint generated always as identity primary key,
    at       timestamp(6) with time zone not null,
    actor    varchar(80) not null,
    action   varchar(40) not null,
    subject  varchar(200),
    outcome  varchar(20) not null,
    address  varchar(64),
    agent    varchar(200),
    before   varchar(2000),
    after    varchar(2000),
    sequence bigint,
    hash     varchar(64),
    attempts int default 1 not null
);
create unique index audit_by_sequence on audit (sequence);
create index audit_by_outcome on audit (outcome, at);

create table audit_chain (
    one      int         primary key check (one = 1),
    sequence bigint      not null,
    hash     varchar(64) not null
);
insert into audit_chain (one, sequence, hash) values (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

create table audit_sent (
    sink     varchar(20) primary key,
    sequence bigint      not null
);

create table changes (
    id              bigint generated always as identity primary key,
    at              timestamp(6) with time zone not null,
    by_name         varchar(80)  not null,
    service         varchar(300) not null,
    title           varchar(200) not null,
    setting         varchar(200),
    before_value    varchar(2000),
    after_value     varchar(2000),
    advice_id       varchar(200),
    diagnosis_id    varchar(64),
    note            varchar(2000),
    idempotency_key varchar(280),
    request_hash    varchar(64),
    order_id        bigint,
    begun           timestamp(6) with time zone,
    is_note         boolean default false not null,
    constraint changes_once unique (idempotency_key)
);
create index changes_by_service on changes (service, id);

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

create table capacity_hours (
    service    varchar(300)     not null,
    epoch_hour bigint           not null,
    mean_rate  double precision not null,
    peak_rate  double precision not null,
    minutes    integer          not null,
    primary key (service, epoch_hour)
);

create table orders (
    id              bigint generated always as identity primary key,
    code            varchar(32)   not null,
    at              timestamp(6) with time zone not null,
    expires         timestamp(6) with time zone not null,
    by_name         varchar(80)   not null,
    node            varchar(200)  not null,
    source          varchar(200)  not null,
    service         varchar(300)  not null,
    title           varchar(200)  not null,
    setting         varchar(200)  not null,
    before_value    varchar(2000) not null,
    after_value     varchar(2000) not null,
    advice_id       varchar(200),
    diagnosis_id    varchar(64),
    note            varchar(2000),
    consequence     varchar(10)   not null,
    rollback_of     bigint,
    signed          varchar(4096) not null,
    state           varchar(10)   not null,
    reason          varchar(40),
    detail          varchar(2000),
    file            varchar(1000),
    restored        boolean       not null,
    begun           timestamp(6) with time zone,
    ended           timestamp(6) with time zone,
    change_id       bigint,
    idempotency_key varchar(280),
    request_hash    varchar(64),
    companions      varchar(2000),
    constraint orders_code unique (code),
    constraint orders_once unique (idempotency_key)
);
create index orders_by_service on orders (service, id);
create index orders_open on orders (state);

create table verification (
    id            bigint generated always as identity primary key,
    service       varchar(300) not null,
    change_id     bigint       not null,
    by_name       varchar(80)  not null,
    started       timestamp(6) with time zone not null,
    changed       bigint       not null,
    baseline_from bigint       not null,
    baseline_to   bigint       not null,
    after_from    bigint       not null,
    after_to      bigint       not null,
    state_before  varchar(40)  not null,
    diagnosis     text,
    finished      timestamp(6) with time zone,
    verdict       varchar(20),
    reason        varchar(40),
    result        text
);
create index verification_by_service on verification (service, id);
create index verification_open on verification (finished);

create table watched_service (
    id          varchar(300) primary key,
    node        varchar(255),
    name        varchar(300) not null,
    kind        varchar(40)  not null,
    version     varchar(200),
    addresses   text         not null,
    process_id  bigint,
    program     varchar(1000),
    settings    text         not null,
    reported_by text         not null,
    first_seen  bigint       not null,
    last_seen   bigint       not null,
    credential  varchar(200),
    labels      text
);
create index watched_service_last_seen on watched_service (last_seen);

create table telemetry_source (
    name       varchar(300) primary key,
    status     text   not null,
    last_seen  bigint not null,
    credential varchar(200)
);

create table service_label (
    service     varchar(300) not null,
    label_key   varchar(63)  not null,
    label_value varchar(63)  not null,
    set_by      varchar(80)  not null,
    set_at      timestamp(6) with time zone not null,
    primary key (service, label_key)
);

create table label_rule (
    id          bigint generated always as identity primary key,
    service     varchar(300),
    node        varchar(300),
    kind        varchar(40),
    label_key   varchar(63) not null,
    label_value varchar(63) not null,
    set_by      varchar(80) not null,
    set_at      timestamp(6) with time zone not null
);

create table state_transition (
    id         bigint generated always as identity primary key,
    service    varchar(300)  not null,
    at_second  bigint        not null,
    from_state varchar(40)   not null,
    to_state   varchar(40)   not null,
    rule       varchar(100)  not null,
    cause_en   varchar(1000) not null,
    cause_ja   varchar(1000) not null,
    evidence   text          not null
);
create index state_transition_by_service on state_transition (service, id);

create table service_baseline (
    service           varchar(300) primary key,
    response          double precision,
    transfer          double precision,
    origin            double precision,
    lessons           int not null,
    failures          double precision,
    processes         double precision,
    client_round_trip double precision
);

create table threshold_override (
    service   varchar(300)     not null,
    rule      varchar(100)     not null,
    measure   varchar(100)     not null,
    threshold double precision not null,
    reason    varchar(500)     not null,
    set_by    varchar(80)      not null,
    set_at    timestamp(6) with time zone not null,
    primary key (service, rule, measure)
);

create table kept_diagnosis (
    id       bigint generated always as identity primary key,
    service  varchar(300) not null,
    at       timestamp(6) with time zone not null,
    by_name  varchar(80)  not null,
    document text         not null,
    entered  timestamp(6) with time zone,
    size     bigint default 0 not null
);
create index kept_diagnosis_by_service on kept_diagnosis (service, id);
create index kept_diagnosis_by_entry on kept_diagnosis (service, entered);

create table decision_override (
    id       bigint generated always as identity primary key,
    service  varchar(300)  not null,
    node     varchar(80)   not null,
    verdict  varchar(8)    not null,
    reason   varchar(2000) not null,
    by_name  varchar(80)   not null,
    at       timestamp(6) with time zone not null,
    until_at timestamp(6) with time zone not null,
    ended_at timestamp(6) with time zone,
    ended_by varchar(80)
);
create index decision_override_by_service on decision_override (service, node);

create table cluster_event (
    id      bigint generated always as identity primary key,
    cluster varchar(63)   not null,
    at      timestamp(6) with time zone not null,
    kind    varchar(40)   not null,
    member  varchar(80),
    text    varchar(500)  not null,
    seen_by varchar(4000) not null
);
create index cluster_event_by_cluster on cluster_event (cluster, id);
create index cluster_event_by_time on cluster_event (at);

create table incident (
    position    bigint generated by default as identity primary key,
    id          varchar(16)  not null unique,
    root        varchar(300) not null,
    began       timestamp(6) with time zone not null,
    ended       timestamp(6) with time zone,
    merged_into varchar(16),
    settled     boolean      not null,
    members     text         not null
);
create index incident_by_end on incident (ended);

create table incident_service (
    incident varchar(16)  not null references incident (id) on delete cascade,
    service  varchar(300) not null,
    primary key (incident, service)
);
create index incident_service_by_service on incident_service (service);

create table alert_rule (
    id           varchar(64) primary key,
    version      bigint      not null,
    body         text        not null,
    request_hash varchar(64),
    position     bigint generated always as identity
);

create table alert_silence (
    id           varchar(64) primary key,
    version      bigint      not null,
    body         text        not null,
    request_hash varchar(64),
    position     bigint generated always as identity
);

create table alert_receiver (
    id           varchar(64) primary key,
    version      bigint      not null,
    body         text        not null,
    request_hash varchar(64),
    position     bigint generated always as identity
);

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
    text          text         not null,
    evidence      text         not null,
    ended_at      timestamp(6) with time zone,
    end_reason    varchar(20),
    told_at       timestamp(6) with time zone,
    told_state    varchar(40),
    told_severity varchar(20),
    notices       int          not null,
    silenced_by   varchar(64),
    incident      varchar(16)
);
create index alert_by_position on alert (position);
create index alert_by_end on alert (ended_at);

create table alert_delivery (
    id            varchar(64)  primary key,
    position      bigint generated always as identity,
    receiver      varchar(64)  not null,
    receiver_name varchar(100) not null,
    tell          varchar(20)  not null,
    subject       varchar(300) not null,
    notice        text         not null,
    status        varchar(20)  not null,
    created_at    timestamp(6) with time zone not null,
    next_at       timestamp(6) with time zone,
    finished_at   timestamp(6) with time zone,
    attempts      int          not null,
    outcome       varchar(500),
    incident      varchar(16)
);
create index alert_delivery_by_receiver on alert_delivery (receiver, position);
create index alert_delivery_by_status on alert_delivery (status, position);
create index alert_delivery_by_incident on alert_delivery (incident, position);

create table alert_attempt (
    delivery  varchar(64)  not null references alert_delivery (id) on delete cascade,
    at        timestamp(6) with time zone not null,
    delivered boolean      not null,
    outcome   varchar(500) not null,
    millis    bigint       not null
);
create index alert_attempt_by_delivery on alert_attempt (delivery, at);

insert into alert_rule (id, version, body) values
    ('services', 1, '{"name":"Services","kind":"service","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":30,"repeatHours":4,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('source-silent', 1, '{"name":"A source is silent","kind":"source-silent","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":30,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('probe-loss', 1, '{"name":"A probe loses packets","kind":"probe-loss","states":[],"service":null,"needed":30,"ofSeconds":60,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":100.0,"receivers":[],"enabled":true}'),
    ('record-drops', 1, '{"name":"Records are dropped","kind":"record-drops","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":1.0,"receivers":[],"enabled":true}'),
    ('store-full', 1, '{"name":"The store''s disk is nearly full","kind":"store-full","states":[],"service":null,"needed":30,"ofSeconds":60,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":0.9,"receivers":[],"enabled":true}'),
    ('cluster-parted', 1, '{"name":"A cluster is parted","kind":"cluster-parted","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":30,"repeatHours":4,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('cluster-conflict', 1, '{"name":"Members claim one prefix for different contents","kind":"cluster-conflict","states":[],"service":null,"needed":5,"ofSeconds":5,"clearSeconds":30,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('member-flapping', 1, '{"name":"A member comes and goes","kind":"member-flapping","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":60,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('quota', 1, '{"name":"A limit of the fleet is reached","kind":"quota","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('foreign-report', 1, '{"name":"A credential reports in foreign names","kind":"foreign-report","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}'),
    ('identity', 1, '{"name":"The identity of a part is in doubt","kind":"identity","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}');

-- H2 creates these by itself for its foreign keys.
create index sessions_by_user on sessions (user_name);
create index pending_login_by_user on pending_login (user_name);
