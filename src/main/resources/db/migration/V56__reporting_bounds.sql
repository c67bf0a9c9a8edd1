-- The names in which a token may report: its source, the host's name, and blocks of addresses divided by spaces; source null: all.
alter table tokens add column source varchar(1024);
alter table tokens add column node varchar(255);
alter table tokens add column networks varchar(2000);

insert into alert_rule (id, version, body) values
    ('foreign-report', 1, '{"name":"A credential reports in foreign names","kind":"foreign-report","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}');
