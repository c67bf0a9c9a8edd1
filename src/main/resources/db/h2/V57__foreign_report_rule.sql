insert into alert_rule (id, version, body) values
    ('foreign-report', 1, '{"name":"A credential reports in foreign names","kind":"foreign-report","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}');
