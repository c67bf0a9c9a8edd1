insert into alert_rule (id, version, body) values
    ('identity', 1, '{"name":"The identity of a part is in doubt","kind":"identity","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":300,"repeatHours":24,"severity":null,"threshold":null,"receivers":[],"enabled":true}');
